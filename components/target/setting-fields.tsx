import { MAX_REDIRECTS, METHODS, type ProbeSettings } from '#contract/target.ts';
import { PHASES } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { AreaField, CheckField, SelectField, TextField } from '../ui/field.tsx';

type Props = { ui: Ui; settings: ProbeSettings };

/** What is offered in the handshake, whom it trusts, and who it says it is. */
export function TlsFields({ ui, settings }: Props) {
  const { t } = ui;
  return (
    <>
      <OfferFields ui={ui} settings={settings} />
      <CheckField
        name="settings.certificateCompression"
        label={t('targetForm.certificateCompression')}
        checked={settings.certificateCompression ?? true}
      />
      <CheckField name="settings.verify" label={t('targetForm.verify')} checked={settings.verify} />
      <AreaField
        name="settings.caPem"
        label={t('targetForm.caPem')}
        help={t('targetForm.caPemHelp')}
        defaultValue={settings.caPem ?? ''}
      />
      <ClientFields ui={ui} settings={settings} />
    </>
  );
}

const option = (value: string, label: string) => ({ value, label });

function OfferFields({ ui: { t }, settings }: Props) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        name="settings.tlsVersion"
        label={t('targetForm.tlsVersion')}
        value={settings.tlsVersion ?? ''}
        options={[
          option('', t('targetForm.tlsBoth')),
          ...['1.3', '1.2'].map((version) => option(version, t('targetForm.tlsOnly', { version }))),
        ]}
      />
      <SelectField
        name="settings.alpn"
        label={t('targetForm.alpn')}
        value={settings.alpn.join(',')}
        options={[
          option('h2,http/1.1', t('targetForm.alpnBoth')),
          option('h2', t('targetForm.alpnH2')),
          option('http/1.1', t('targetForm.alpnH1')),
        ]}
      />
      <SelectField
        name="settings.sigalgs"
        label={t('targetForm.sigalgs')}
        value={settings.sigalgs === 'both' ? '' : (settings.sigalgs ?? '')}
        options={[option('', t('targetForm.sigalgsAny')), option('RSA', 'RSA'), option('ECDSA', 'ECDSA')]}
      />
      <TextField
        name="settings.sni"
        label={t('targetForm.sni')}
        help={t('targetForm.sniHelp')}
        verbatim
        defaultValue={settings.sni ?? ''}
      />
    </div>
  );
}

/** The key of a stored certificate is not shown: an empty field keeps it. */
function ClientFields({ ui: { t }, settings: { clientCertificate } }: Props) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <AreaField
        name="settings.clientCertificate.certPem"
        label={t('targetForm.clientCertificate')}
        help={t('targetForm.clientCertificateHelp')}
        defaultValue={clientCertificate?.certPem ?? ''}
      />
      <AreaField
        name="settings.clientCertificate.keyPem"
        label={t('targetForm.clientKey')}
        help={t(clientCertificate ? 'targetForm.clientKeyStored' : 'targetForm.clientKeyHelp')}
      />
    </div>
  );
}

/** Which address is reached, who is asked for it, and how long each phase may take. */
export function NetworkFields({ ui: { t }, settings }: Props) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          name="settings.family"
          label={t('targetForm.family')}
          value={settings.family?.toString() ?? ''}
          options={[
            { value: '', label: t('targetForm.familyAny') },
            ...['4', '6'].map((family) => ({ value: family, label: t('targetForm.familyOnly', { family }) })),
          ]}
        />
        {(['address', 'resolver'] as const).map((name) => (
          <TextField
            key={name}
            name={`settings.${name}`}
            label={t(`targetForm.${name}`)}
            help={t(`targetForm.${name}Help`)}
            defaultValue={settings[name] ?? ''}
            verbatim
          />
        ))}
      </div>
      <fieldset>
        <legend className="mb-1 font-medium">
          {t('common.withNote', { label: t('targetForm.timeouts'), note: t('unit.ms') })}
        </legend>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-5">
          {PHASES.map((phase) => (
            <TextField
              key={phase}
              name={`settings.timeouts.${phase}`}
              label={t(`metric.${phase}`)}
              type="number"
              min={100}
              max={60_000}
              defaultValue={settings.timeouts[phase]}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

/** What is asked of the server once the handshake is over. */
export function RequestFields({ ui: { t }, settings: { http, request, redirects, compression } }: Props) {
  return (
    <>
      <CheckField name="settings.http" label={t('targetForm.http')} checked={http} />
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          name="settings.request.method"
          label={t('targetForm.method')}
          value={request.method}
          options={METHODS.map((method) => ({ value: method, label: method }))}
        />
        <TextField
          name="settings.redirects"
          label={t('targetForm.redirects')}
          help={t('targetForm.redirectsHelp', { max: MAX_REDIRECTS })}
          type="number"
          min={0}
          max={MAX_REDIRECTS}
          defaultValue={redirects}
        />
      </div>
      <CheckField name="settings.compression" label={t('targetForm.compression')} checked={compression ?? false} />
      <AreaField
        name="settings.request.headers"
        label={t('targetForm.headers')}
        help={t('targetForm.headersHelp')}
        placeholder={'Accept-Language: zh-CN'}
        defaultValue={request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
      />
      <TextField
        name="settings.request.secretHeaders"
        label={t('targetForm.secretHeaders')}
        help={t('targetForm.secretHeadersHelp')}
        placeholder={'X-Pin, X-Account'}
        defaultValue={[...new Set(request.headers.flatMap(({ name, secret }) => (secret ? name : [])))].join(', ')}
      />
      <AreaField
        name="settings.request.body"
        label={t('targetForm.body')}
        help={t('targetForm.bodyHelp')}
        defaultValue={request.body ?? ''}
      />
    </>
  );
}

/** What the answer must be for the probe to be ok. */
export function AnswerFields({ ui: { t }, settings: { expect } }: Props) {
  return (
    <>
      <TextField
        name="settings.expect.status"
        label={t('targetForm.status')}
        help={t('targetForm.statusHelp')}
        placeholder={'200-204, 3xx'}
        defaultValue={expect.status.join(', ')}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        {(['bodyContains', 'bodyLacks'] as const).map((name) => (
          <AreaField
            key={name}
            name={`settings.expect.${name}`}
            rows={2}
            label={t(`targetForm.${name}`)}
            help={t(`targetForm.${name}Help`)}
            maxLength={1_000}
            defaultValue={expect[name] ?? ''}
          />
        ))}
      </div>
    </>
  );
}

/** Further handshakes right after the main one. */
export function PairFields({ ui: { t }, settings: { resume, reuse, sigalgs } }: Props) {
  return (
    <>
      <CheckField name="settings.resume" label={t('targetForm.resume')} checked={resume} />
      <CheckField name="settings.reuse" label={t('targetForm.reuse')} checked={reuse ?? false} />
      <CheckField name="settings.bothKinds" label={t('targetForm.both')} checked={sigalgs === 'both'} />
    </>
  );
}
