import type { ProbeSettings } from '#contract/target.ts';
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
