// The web part of `roundtrip start`, a process of its own.
import { serveWeb } from '../web-process.ts';

await serveWeb();
