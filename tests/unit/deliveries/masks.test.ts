import { expect, it } from 'vitest';
import { hideSecrets, shownError, shownLocation } from '#server/webhooks/masking.ts';
import type { HttpOutgoing, MailOutgoing } from '#server/webhooks/outgoing.ts';

const http: HttpOutgoing = {
  kind: 'http',
  url: 'https://robot.example/hook/0197-very-secret?access_token=token-very-secret',
  headers: { 'webhook-signature': 'v1,c2lnbmVk v1,b2xkZXI=' },
  body: '{"timestamp":"1","sign":"cm9ib3Q="}',
  masks: ['routing-key'],
};

it('an answer that repeats the request is shown without its address, keys and signatures', () => {
  const answer = `to /hook/0197-very-secret, token-very-secret: ${http.headers['webhook-signature']} ${http.body} routing-key`;
  const shown = 'to ***, ***: v1,*** v1,*** {"timestamp":"1","sign":"***"} ***';
  expect(hideSecrets(http, answer)).toBe(shown);
});

it.each([
  ['https://robot.example/hook/secret?key=1', 'https://robot.example/***'],
  ['http://user:password@robot.example:8080/', 'http://robot.example:8080/***'],
  ['/hook/secret', '***'],
  ['//robot.example/secret', '***'],
  ['data:text/plain,secret', '***'],
])('a redirect to %s is shown as %s', (location, shown) => {
  expect(shownLocation(location)).toBe(shown);
});

it('an error of mail names neither the server nor a mailbox', () => {
  const settings = {
    host: 'smtp.example',
    port: 25,
    secure: false,
    user: '',
    from: 'a@b.example',
    to: ['c@d.example'],
  };
  const mail: MailOutgoing = { kind: 'mail', settings, password: null, headers: {}, subject: '', body: '' };
  const error = 'the name does not resolve (getaddrinfo ENOTFOUND smtp.example) for c@d.example';
  expect(shownError(mail, error)).toBe('the name does not resolve (getaddrinfo ENOTFOUND ***) for ***');
});
