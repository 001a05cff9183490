/** A target's form as the API's TargetCreate would have it; Zod says what is wrong with it. */
export function targetInput(form: FormData) {
  const name = text(form, 'name');
  return {
    url: text(form, 'url') ?? '',
    ...(name === null ? {} : { name }),
    periodSeconds: number(form, 'periodSeconds'),
    enabled: form.has('enabled'),
    vantages: { regions: form.getAll('vantages.regions'), carriers: form.getAll('vantages.carriers') },
    settings: settingsInput(form),
    tags: [...new Set(words(form, 'tags'))],
  };
}

function settingsInput(form: FormData) {
  const family = text(form, 'settings.family');
  return {
    alpn: (text(form, 'settings.alpn') ?? 'h2,http/1.1').split(','),
    tlsVersion: text(form, 'settings.tlsVersion'),
    sigalgs: form.has('settings.bothKinds') ? 'both' : text(form, 'settings.sigalgs'),
    resume: form.has('settings.resume'),
    ...(form.has('settings.reuse') ? { reuse: true } : {}),
    ...(form.has('settings.compression') ? { compression: true } : {}),
    ...(form.has('settings.certificateCompression') ? {} : { certificateCompression: false }),
    sni: text(form, 'settings.sni'),
    family: family === null ? null : Number(family),
    address: text(form, 'settings.address'),
    resolver: text(form, 'settings.resolver'),
    verify: form.has('settings.verify'),
    http: form.has('settings.http'),
    caPem: text(form, 'settings.caPem'),
    clientCertificate: clientCertificateInput(form),
    request: {
      method: text(form, 'settings.request.method') ?? undefined,
      headers: headersInput(form),
      body: lines(form, 'settings.request.body') || null,
    },
    expect: {
      status: words(form, 'settings.expect.status'),
      bodyContains: lines(form, 'settings.expect.bodyContains') || null,
      bodyLacks: lines(form, 'settings.expect.bodyLacks') || null,
    },
    redirects: number(form, 'settings.redirects'),
    timeouts: {
      dns: number(form, 'settings.timeouts.dns'),
      tcp: number(form, 'settings.timeouts.tcp'),
      tls: number(form, 'settings.timeouts.tls'),
      firstByte: number(form, 'settings.timeouts.firstByte'),
      download: number(form, 'settings.timeouts.download'),
    },
  };
}

/** An empty key keeps the stored one; a key without its certificate is left for the server to refuse. */
function clientCertificateInput(form: FormData) {
  const certPem = text(form, 'settings.clientCertificate.certPem');
  const keyPem = text(form, 'settings.clientCertificate.keyPem');
  return certPem === null && keyPem === null ? null : { certPem: certPem ?? '', keyPem };
}

/** `Name: value`, one a line; marked as secret by its name. A line without a colon has no name, which Zod refuses. */
function headersInput(form: FormData) {
  const written = lines(form, 'settings.request.headers')
    .split('\n')
    .map((line) => line.trim());
  const marked = secretNames(form);
  return written.filter(Boolean).map((line) => {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/.exec(line) ?? [];
    const secret = marked.includes(name.trim().toLowerCase());
    return { name: name.trim(), value: value.trim(), ...(secret ? { secret } : {}) };
  });
}

/** Names of headers to be marked as secret, in lower case. */
const secretNames = (form: FormData) => words(form, 'settings.request.secretHeaders').map((name) => name.toLowerCase());

/** What stands between commas and spaces. */
const words = (form: FormData, field: string): string[] =>
  lines(form, field)
    .split(/[\s,，、]+/)
    .filter(Boolean);

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

/** What was typed, trimmed; null where the field is empty. */
function text(form: FormData, field: string): string | null {
  return lines(form, field).trim() || null;
}

/** An empty field takes the default; what is no number is left for Zod to refuse. */
function number(form: FormData, field: string): number | undefined {
  const value = text(form, field);
  return value === null ? undefined : Number(value);
}
