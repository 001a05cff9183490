import { freePort } from '../support/process.ts';
import { cookieHeader, sessionCookies } from './session.ts';

/** A target at which nobody listens. It is made before all tests, for it takes minutes until it is called down. */
export const FAILING = 'Nobody at home';

export async function addFailingTarget(url: string, password: string): Promise<void> {
  const target = { name: FAILING, url: `https://127.0.0.1:${await freePort()}/`, periodSeconds: 10 };
  const ask = await asker(url, password);
  const response = await ask('POST', '', target);
  if (response.status !== 201) throw new Error(`the target was not made: ${await response.text()}`);
}

/** Removes it where it is still there: the test that is about it does so itself. */
export async function removeFailingTarget(url: string, password: string): Promise<void> {
  const ask = await asker(url, password);
  const { data } = (await (await ask('GET')).json()) as { data: { id: string; name: string }[] };
  for (const { id } of data.filter(({ name }) => name === FAILING)) await ask('DELETE', `/${id}`);
}

async function asker(url: string, password: string) {
  const cookie = cookieHeader(await sessionCookies(url, password));
  const headers = { 'content-type': 'application/json', origin: url, cookie };
  return (method: string, path = '', body?: object) =>
    fetch(`${url}/api/v1/targets${path}`, { method, headers, body: body && JSON.stringify(body) });
}
