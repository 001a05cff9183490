import { AnswerError, isBodiless, malformed } from '#contract/http1-answer.ts';
import { Answer } from '../answer.ts';
import { headerText, MAX_ALT_SVC, MAX_ENCODING, MAX_LOCATION, MAX_SERVER, type Origin } from '../exchange.ts';
import type { AnswerSink } from './connection.ts';
import type { Field } from './hpack.ts';

/** Lower-case names (RFC 9113, section 8.2), and no values that could pass for several headers. */
const NAME = /^:?[!#$%&'*+.^_`|~0-9a-z-]+$/;
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;

/** Puts the answer to one request together as it comes in. */
export class Http2Answer extends Answer implements AnswerSink {
  readonly #method: string;
  #length: number | null = null;

  constructor(method: string, ...rest: ConstructorParameters<typeof Answer>) {
    super(...rest);
    this.#method = method;
  }

  onHead(fields: Field[], origin: Origin): void {
    const headers = new Map<string, string>();
    for (const [name, value] of fields) {
      if (!NAME.test(name) || FORBIDDEN_IN_VALUE.test(value))
        malformed(`the header ${JSON.stringify(name.slice(0, 80))}`);
      if (!headers.has(name)) headers.set(name, value);
    }
    const status = finalStatus(headers.get(':status'));
    const length = headers.get('content-length');
    if (length !== undefined && !/^\d{1,15}$/.test(length)) malformed('its content-length');
    if (length !== undefined && !isBodiless(this.#method, status)) this.#length = Number(length);
    this.head.resolve({
      ...origin,
      status,
      version: '2',
      server: headerText(headers.get('server'), MAX_SERVER),
      location: headerText(headers.get('location'), MAX_LOCATION),
      encoding: headerText(headers.get('content-encoding'), MAX_ENCODING),
      altSvc: headerText(headers.get('alt-svc'), MAX_ALT_SVC),
      length: this.#length,
    });
  }

  override onEnd(): void {
    if (!this.over && this.#length !== null && this.#length !== this.bytes) {
      const message = `the body has ${this.bytes} bytes, and its content-length says ${this.#length}`;
      this.fail(new AnswerError('http_protocol', message));
    } else super.onEnd();
  }
}

function finalStatus(text: string | undefined): number {
  if (text === undefined || !/^\d{3}$/.test(text)) malformed(`the status ${JSON.stringify(text?.slice(0, 20) ?? '')}`);
  const status = Number(text);
  if (status < 200) throw new AnswerError('http_protocol', `the server answered with status ${status}`);
  return status;
}
