import { describe, expect, it } from 'vitest';
import { tlsFailure } from '#probe/tls/tls-failure.ts';
import { WireObserver } from '#probe/wire/wire.ts';

const record = (type: number, payload: number[]) => Buffer.from([type, 3, 3, 0, payload.length, ...payload]);
const message = (type: number, body: number[]) => record(22, [type, 0, 0, body.length, ...body]);

/** A handshake of TLS 1.2 in which we sent this Certificate message (null: none), and the server's last word. */
function endedBy(alert: number, certificate: number[] | null) {
  const wire = new WireObserver();
  if (certificate) wire.observe('out', message(11, certificate), 1);
  wire.observe('in', record(21, [2, alert]), 2);
  return tlsFailure(new Error('whatever OpenSSL says'), wire).failure;
}

describe('an alert of TLS 1.2', () => {
  it.each([40, 41, 42, 46, 49])('%i asks for a client certificate where an empty list was shown', (alert) => {
    expect(endedBy(alert, [0, 0, 0])).toMatchObject({
      reason: 'tls_client_certificate_required',
      message: expect.stringContaining('shown none'),
    });
  });

  it.each([
    [40, 'tls_no_shared_cipher'],
    [42, 'tls_alert'],
  ])('%i means what it says where no certificate was asked for, or one was shown', (alert, reason) => {
    expect(endedBy(alert, null).reason).toBe(reason);
    expect(endedBy(alert, [0, 0, 4, 0, 0, 1, 9]).reason).toBe(reason);
  });

  it('that has nothing to do with certificates keeps its meaning beside an empty list', () => {
    expect(endedBy(70, [0, 0, 0]).reason).toBe('tls_version');
    expect(endedBy(51, [0, 0, 0]).reason).toBe('tls_alert');
  });
});
