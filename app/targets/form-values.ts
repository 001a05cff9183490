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
  };
}

function settingsInput(form: FormData) {
  const family = text(form, 'settings.family');
  return {
    alpn: (text(form, 'settings.alpn') ?? 'h2,http/1.1').split(','),
    tlsVersion: text(form, 'settings.tlsVersion'),
    sigalgs: text(form, 'settings.sigalgs'),
    sni: text(form, 'settings.sni'),
    family: family === null ? null : Number(family),
    address: text(form, 'settings.address'),
    verify: form.has('settings.verify'),
    http: form.has('settings.http'),
    caPem: text(form, 'settings.caPem'),
    timeouts: {
      dns: number(form, 'settings.timeouts.dns'),
      tcp: number(form, 'settings.timeouts.tcp'),
      tls: number(form, 'settings.timeouts.tls'),
      firstByte: number(form, 'settings.timeouts.firstByte'),
      download: number(form, 'settings.timeouts.download'),
    },
  };
}

/** What was typed, trimmed; null where the field is empty. */
function text(form: FormData, field: string): string | null {
  const value = form.get(field);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** An empty field takes the default; what is no number is left for Zod to refuse. */
function number(form: FormData, field: string): number | undefined {
  const value = text(form, field);
  return value === null ? undefined : Number(value);
}
