import { formLines, formNumber, formText, formUrl } from '../form-text.ts';

/** A target's form as the API's TargetCreate would have it; Zod says what is wrong with it. */
export function targetInput(form: FormData) {
  const name = formText(form, 'name');
  return {
    url: formUrl(form, 'url'),
    ...(name === null ? {} : { name }),
    periodSeconds: formNumber(form, 'periodSeconds'),
    enabled: form.has('enabled'),
    vantages: { regions: form.getAll('vantages.regions'), carriers: form.getAll('vantages.carriers') },
    settings: settingsInput(form),
    tags: [...new Set(words(form, 'tags'))],
  };
}

function settingsInput(form: FormData) {
  const family = formText(form, 'settings.family');
  return {
    alpn: (formText(form, 'settings.alpn') ?? 'h2,http/1.1').split(','),
    tlsVersion: formText(form, 'settings.tlsVersion'),
    sigalgs: form.has('settings.bothKinds') ? 'both' : formText(form, 'settings.sigalgs'),
    resume: form.has('settings.resume'),
    ...(form.has('settings.reuse') ? { reuse: true } : {}),
    ...(form.has('settings.compression') ? { compression: true } : {}),
    ...(form.has('settings.certificateCompression') ? {} : { certificateCompression: false }),
    sni: formText(form, 'settings.sni'),
    family: family === null ? null : Number(family),
    address: formText(form, 'settings.address'),
    resolver: formText(form, 'settings.resolver'),
    verify: form.has('settings.verify'),
    http: form.has('settings.http'),
    caPem: formText(form, 'settings.caPem'),
    clientCertificate: clientCertificateInput(form),
    request: {
      method: formText(form, 'settings.request.method') ?? undefined,
      headers: headersInput(form),
      body: lines(form, 'settings.request.body') || null,
    },
    expect: {
      status: words(form, 'settings.expect.status'),
      bodyContains: lines(form, 'settings.expect.bodyContains') || null,
      bodyLacks: lines(form, 'settings.expect.bodyLacks') || null,
    },
    redirects: formNumber(form, 'settings.redirects'),
    timeouts: {
      dns: formNumber(form, 'settings.timeouts.dns'),
      tcp: formNumber(form, 'settings.timeouts.tcp'),
      tls: formNumber(form, 'settings.timeouts.tls'),
      firstByte: formNumber(form, 'settings.timeouts.firstByte'),
      download: formNumber(form, 'settings.timeouts.download'),
    },
  };
}

/** An empty key keeps the stored one; a key without its certificate is left for the server to refuse. */
function clientCertificateInput(form: FormData) {
  const certPem = formText(form, 'settings.clientCertificate.certPem');
  const keyPem = formText(form, 'settings.clientCertificate.keyPem');
  return certPem === null && keyPem === null ? null : { certPem: certPem ?? '', keyPem };
}

/** `Name: value`, one a line; marked as secret by its name. A line without a colon has no name, which Zod refuses. */
function headersInput(form: FormData) {
  const marked = secretNames(form);
  return formLines(form, 'settings.request.headers').map((line) => {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/.exec(line) ?? [];
    const secret = marked.includes(name.trim().toLowerCase());
    return { name: name.trim(), value: value.trim(), ...(secret ? { secret } : {}) };
  });
}

/** Names of headers to be marked as secret, in lower case. */
const secretNames = (form: FormData) => words(form, 'settings.request.secretHeaders').map((name) => name.toLowerCase());

/** What stands between commas and spaces. */
const words = (form: FormData, field: string): string[] =>
  (formText(form, field) ?? '').split(/[\s,，、]+/).filter(Boolean);

/** The first name to be marked as secret that no header has; undefined where all are. */
export function unknownSecretName(form: FormData): string | undefined {
  const names = new Set(headersInput(form).map(({ name }) => name.toLowerCase()));
  return secretNames(form).find((name) => !names.has(name));
}

/** What was typed into a field of several lines; browsers send them with the line ends of HTTP. */
function lines(form: FormData, field: string): string {
  const value = form.get(field);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}
