import { ProbeSettings } from '#contract/target.ts';
import { PHASES } from '#contract/vocabulary.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

/** The groups in which settings are shown and edited. */
export const SETTING_GROUPS = ['tls', 'network', 'request', 'answer', 'pairs'] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

/** A setting that is not as it is for most targets, in the reader's words; a value may have several lines. */
export type SettingFact = { group: SettingGroup; term: string; value: string };

const DEFAULTS = ProbeSettings.parse({});

/** What sets these settings apart from the usual ones, group by group. */
export function settingFacts(ui: Ui, settings: ProbeSettings): SettingFact[] {
  const facts = {
    tls: tlsFacts(ui, settings),
    network: networkFacts(ui, settings),
    request: requestFacts(ui, settings),
    answer: answerFacts(ui, settings),
    pairs: pairFacts(ui, settings),
  };
  return SETTING_GROUPS.flatMap((group) =>
    facts[group].flatMap(([term, value]) => (value === null ? [] : [{ group, term, value }])),
  );
}

type Row = [term: string, value: string | null];

function tlsFacts({ t }: Ui, settings: ProbeSettings): Row[] {
  const { tlsVersion, alpn, sigalgs, certificateCompression, sni, verify, caPem, clientCertificate } = settings;
  const onlyAlpn = alpn.length === 1 ? t(alpn[0] === 'h2' ? 'targetForm.alpnH2' : 'targetForm.alpnH1') : null;
  return [
    [t('targetForm.tlsVersion'), tlsVersion && t('targetForm.tlsOnly', { version: tlsVersion })],
    [t('targetForm.alpn'), onlyAlpn],
    [t('targetForm.sigalgs'), sigalgs === 'both' ? null : sigalgs],
    [t('result.certificateCompression'), certificateCompression === false ? t('targetForm.notOffered') : null],
    [t('targetForm.sni'), sni],
    [t('targetForm.trust'), verify ? null : t('targetForm.noVerify')],
    [t('targetForm.caPem'), caPem && t('targetForm.certificates', { n: certificatesIn(caPem) })],
    [
      t('targetForm.clientCertificate'),
      clientCertificate && t('targetForm.certificates', { n: certificatesIn(clientCertificate.certPem) }),
    ],
  ];
}

const certificatesIn = (pem: string) => pem.split('-----BEGIN CERTIFICATE-----').length - 1;

function networkFacts({ t, locale }: Ui, { family, address, resolver, timeouts }: ProbeSettings): Row[] {
  const changed = PHASES.filter((phase) => timeouts[phase] !== DEFAULTS.timeouts[phase]);
  const lines = changed.map(
    (phase) => `${t(`metric.${phase}`)} ${formatNumber(locale, timeouts[phase])} ${t('unit.ms')}`,
  );
  return [
    [t('targetForm.family'), family && t('targetForm.familyOnly', { family: String(family) })],
    [t('targetForm.address'), address],
    [t('targetForm.resolver'), resolver],
    [t('targetForm.timeouts'), lines.join('\n') || null],
  ];
}

function requestFacts({ t, locale }: Ui, { http, request, redirects, compression }: ProbeSettings): Row[] {
  const { method, headers, body } = request;
  return [
    [t('targetForm.http'), http ? null : t('targetForm.noHttp')],
    [t('targetForm.method'), method === DEFAULTS.request.method ? null : method],
    [t('targetForm.headers'), headers.map(({ name, value }) => `${name}: ${value}`).join('\n') || null],
    [t('targetForm.body'), body === null ? null : t('targetForm.bodyGiven')],
    [t('targetForm.encoding'), compression ? t('targetForm.compression') : null],
    [t('targetForm.redirects'), redirects === 0 ? null : formatNumber(locale, redirects)],
  ];
}

function answerFacts({ t }: Ui, { expect: { status, bodyContains, bodyLacks } }: ProbeSettings): Row[] {
  return [
    [t('targetForm.status'), status.join(', ') || null],
    [t('targetForm.bodyContains'), bodyContains],
    [t('targetForm.bodyLacks'), bodyLacks],
  ];
}

function pairFacts({ t }: Ui, { resume, reuse, sigalgs }: ProbeSettings): Row[] {
  const pairs = [
    resume ? t('targetForm.resume') : null,
    reuse ? t('targetForm.reuse') : null,
    sigalgs === 'both' ? t('targetForm.both') : null,
  ];
  return [[t('targetForm.pairs'), pairs.filter((pair) => pair !== null).join('\n') || null]];
}
