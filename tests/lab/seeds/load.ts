// A process of the lab: asks a URL again and again over HTTP/2 and writes how many answers came in a second. Arguments: the
// URL, connections, streams on each, seconds.
import { type ClientHttp2Session, connect } from 'node:http2';

const [url = '', connections = '', streams = '', seconds = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
let answers = 0;

function ask(session: ClientHttp2Session): void {
  const stream = session.request({ ':path': pathname });
  stream.resume().on('end', () => {
    answers += 1;
    if (!session.closed) ask(session);
  });
}

// The lab's own root is not among this process's; who answers is known.
const sessions = Array.from({ length: Number(connections) }, () => connect(origin, { rejectUnauthorized: false }));
for (const session of sessions) {
  session.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  for (let i = 0; i < Number(streams); i += 1) ask(session);
}
const startedAt = performance.now();
setTimeout(() => {
  process.stdout.write(`${answers / ((performance.now() - startedAt) / 1_000)}\n`);
  process.exit(0);
}, Number(seconds) * 1_000);
