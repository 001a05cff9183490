import { HTTP_LIMITS } from '../http/exchange.ts';
import { Expected } from '../http/expectation.ts';
import { beginExchange } from '../http/http.ts';
import { httpFailure } from '../http/http-failure.ts';
import { redirectTarget } from '../http/redirect.ts';
import { withinPhase } from './deadline.ts';
import type { Answered, Answering, Run, Secured } from './stages.ts';

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
  const asked = run.keep({ ...secured, exchange });
  const { firstByte, download } = settings.timeouts;
  const head = await withinPhase(clock, 'firstByte', firstByte, overall, () => exchange.head).catch(
    (error: unknown) => {
      throw httpFailure('firstByte', error, tls.error());
    },
  );
  const answering = run.keep({ ...asked, head });
  const body = await withinPhase(clock, 'download', download, overall, () => exchange.body).catch((error: unknown) => {
    throw httpFailure('download', error, tls.error());
  });
  const answered = run.keep({ ...answering, body });
  if (!isFollowed(answering, run)) expected.check(head.status);
  return answered;
}

/** Where a redirect is followed, what was expected is expected of the answer at its end. */
export function isFollowed({ head }: Answering, { request, url }: Run): boolean {
  return request.settings.redirects > 0 && redirectTarget({ url: url.href, http: head }) !== null;
}
