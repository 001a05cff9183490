import { HTTP_LIMITS } from '../http/exchange.ts';
import { Expected } from '../http/expectation.ts';
import { beginExchange } from '../http/http.ts';
import { httpFailure } from '../http/http-failure.ts';
import { redirectTarget } from '../http/redirect.ts';
import { type Overall, withinPhase } from './deadline.ts';
import type { Answered, Answering, Asked, Run, Secured } from './stages.ts';

/**
 * Sends the settings' request on the secured connection, reads the answer, and then judges it: an answer that is not
 * as expected fails the probe with all phases measured. A redirect is an answer like any other, and is not followed.
 */
export async function answer(secured: Secured, run: Run): Promise<Answered> {
  const { tls, tap } = secured;
  const { request, environment, url, overall } = run;
  const { settings } = request;
  const { clock } = environment;
  tap.expectAnswer(HTTP_LIMITS);
  const expected = new Expected(settings.expect);
  const exchange = beginExchange({
    socket: tls.socket,
    tap,
    url,
    request: settings.request,
    compression: settings.compression ?? false,
    reuse: settings.reuse ?? false,
    now: () => clock.now(),
    onBody: (piece) => expected.take(piece),
  });
  const answered = await readAnswer(run.keep({ ...secured, exchange }), run, overall, run.keep);
  if (!isFollowed(answered, run)) expected.check(answered.head.status);
  return answered;
}

/** Reads the answer to a request, head and body, each under its time-out and `overall`; `keep` takes down what was reached. */
export async function readAnswer(
  asked: Asked,
  { request, environment }: Run,
  overall: Overall,
  keep: <Stage extends Answering>(stage: Stage) => Stage,
): Promise<Answered> {
  const { exchange, tls } = asked;
  const { firstByte, download } = request.settings.timeouts;
  const within = <T>(phase: 'firstByte' | 'download', phaseMs: number, part: Promise<T>): Promise<T> =>
    withinPhase(environment.clock, phase, phaseMs, overall, () => part).catch((error: unknown) => {
      throw httpFailure(phase, error, tls.error());
    });
  const answering = keep({ ...asked, head: await within('firstByte', firstByte, exchange.head) });
  return keep({ ...answering, body: await within('download', download, exchange.body) });
}

/** Where a redirect is followed, what was expected is expected of the answer at its end. */
export function isFollowed({ head }: Answering, { request, url }: Run): boolean {
  return request.settings.redirects > 0 && redirectTarget({ url: url.href, http: head }) !== null;
}
