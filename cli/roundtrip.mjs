#!/usr/bin/env node
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnNode24 } from './node24.mjs';

const self = fileURLToPath(import.meta.url);
await runOnNode24(path.join(path.dirname(self), 'main.ts'), self);
