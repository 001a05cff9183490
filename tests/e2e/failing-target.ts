import { freePort } from '../support/process.ts';
import { cookieHeader, sessionCookies } from './session.ts';

/** A target at which nobody listens. It is made before all tests, for it takes minutes until it is called down. */
export const FAILING = 'Nobody at home';

export async function addFailingTarget(url: string, password: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/targets`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: url,
      cookie: cookieHeader(await sessionCookies(url, password)),
    },
    body: JSON.stringify({ name: FAILING, url: `https://127.0.0.1:${await freePort()}/`, periodSeconds: 10 }),
  });
  if (response.status !== 201) throw new Error(`the target was not made: ${await response.text()}`);
}
