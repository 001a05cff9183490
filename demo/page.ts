import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** The size of a front page's document, before its images and scripts. */
const PAGE_BYTES = 24 * 1024;
/** What an application needs to make a page. */
const THINK_MS = { least: 4, spread: 5 };

const PAGE = buildPage();

/** Answers any request with the page, after a little time to think. Without a `server` header: it stands for servers of any kind. */
export function answer(_request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) {
  setTimeout(
    () => {
      if (response.destroyed) return;
      response.statusCode = 200;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('content-length', PAGE.length);
      response.end(PAGE);
    },
    THINK_MS.least + Math.random() * THINK_MS.spread,
  );
}

function buildPage(): Buffer {
  const head =
    '<!doctype html><html lang="en"><title>Roundtrip demo origin</title><body><h1>Roundtrip demo origin</h1>\n';
  const paragraph = '<p>This page is served by a real TLS server on this machine, behind an emulated network.</p>\n';
  const tail = '</body></html>\n';
  const room = PAGE_BYTES - head.length - tail.length;
  return Buffer.from(head + paragraph.repeat(Math.ceil(room / paragraph.length)).slice(0, room) + tail);
}
