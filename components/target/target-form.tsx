import { CHINA_REGIONS } from '#contract/place.ts';
import { MAX_PERIOD_SECONDS, MIN_PERIOD_SECONDS, type Target } from '#contract/target.ts';
import { KNOWN_CARRIERS, PHASES } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { CheckField, CheckGroup, FieldFrame, SelectField, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction, type FormState } from '../ui/form.tsx';

/** What the fields show at first. */
export type TargetDraft = Pick<Target, 'name' | 'url' | 'periodSeconds' | 'enabled' | 'vantages' | 'settings'>;
type Props = { ui: Ui; draft: TargetDraft; action: FormAction<FormState>; submit: string };

/** Everything that can be set about a target; what few need is folded away. */
export function TargetForm({ ui, draft, action, submit }: Props) {
  const { t } = ui;
  return (
    <ActionForm action={action} submit={submit}>
      <div className="grid gap-4">
        <WhatFields ui={ui} draft={draft} />
        <details className="group panel p-4">
          <summary className="font-semibold">
            <span aria-hidden="true" className="mr-1.5 inline-block group-open:rotate-90">
              ▸
            </span>
            {t('targetForm.where')}
          </summary>
          <WhereFields ui={ui} draft={draft} />
        </details>
        <details className="group panel p-4">
          <summary className="font-semibold">
            <span aria-hidden="true" className="mr-1.5 inline-block group-open:rotate-90">
              ▸
            </span>
            {t('targetForm.how')}
          </summary>
          <HowFields ui={ui} draft={draft} />
        </details>
      </div>
    </ActionForm>
  );
}

type FieldsProps = Pick<Props, 'ui' | 'draft'>;

function WhatFields({ ui, draft }: FieldsProps) {
  const { t } = ui;
  return (
    <div className="panel grid gap-3 p-4">
      <TextField
        name="url"
        label={t('targetForm.url')}
        help={t('targetForm.urlHelp')}
        type="url"
        inputMode="url"
        placeholder="https://example.org/"
        required
        defaultValue={draft.url}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          name="name"
          label={t('targetForm.name')}
          help={t('targetForm.nameHelp')}
          maxLength={200}
          defaultValue={draft.name}
        />
        <TextField
          name="periodSeconds"
          label={t('common.withNote', { label: t('targetForm.period'), note: t('unit.seconds') })}
          help={t('targetForm.periodHelp', { min: MIN_PERIOD_SECONDS, max: MAX_PERIOD_SECONDS })}
          type="number"
          min={MIN_PERIOD_SECONDS}
          max={MAX_PERIOD_SECONDS}
          defaultValue={draft.periodSeconds}
        />
      </div>
      <CheckField name="enabled" label={t('targetForm.enabled')} checked={draft.enabled} />
    </div>
  );
}

function WhereFields({ ui, draft: { vantages } }: FieldsProps) {
  const { t } = ui;
  const regions = [...new Set<string>([...CHINA_REGIONS, ...vantages.regions])];
  const carriers = [...new Set<string>([...KNOWN_CARRIERS, ...vantages.carriers])];
  return (
    <div className="mt-3 grid gap-3">
      <p className="text-muted">{t('targetForm.whereHelp')}</p>
      <CheckGroup
        name="vantages.carriers"
        label={t('targetForm.carriers')}
        options={carriers.map((value) => ({ value, label: carrierName(ui, value) }))}
        chosen={vantages.carriers}
      />
      <CheckGroup
        name="vantages.regions"
        label={t('targetForm.regions')}
        options={regions.map((value) => ({ value, label: regionName(ui, value) }))}
        chosen={vantages.regions}
      />
    </div>
  );
}

function HowFields({ ui, draft: { settings } }: FieldsProps) {
  const { t } = ui;
  return (
    <div className="mt-3 grid gap-3">
      <ProtocolFields ui={ui} settings={settings} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          name="settings.sni"
          label={t('targetForm.sni')}
          help={t('targetForm.sniHelp')}
          defaultValue={settings.sni ?? ''}
        />
        <TextField
          name="settings.address"
          label={t('targetForm.address')}
          help={t('targetForm.addressHelp')}
          defaultValue={settings.address ?? ''}
        />
      </div>
      <CheckField name="settings.verify" label={t('targetForm.verify')} checked={settings.verify} />
      <CheckField name="settings.http" label={t('targetForm.http')} checked={settings.http} />
      <FieldFrame name="settings.caPem" label={t('targetForm.caPem')} help={t('targetForm.caPemHelp')}>
        <textarea
          id="settings.caPem"
          name="settings.caPem"
          rows={3}
          className="field font-mono text-[0.86rem]"
          defaultValue={settings.caPem ?? ''}
        />
      </FieldFrame>
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
    </div>
  );
}

function ProtocolFields({ ui, settings }: { ui: Ui; settings: TargetDraft['settings'] }) {
  const { t } = ui;
  const option = (value: string, label: string) => ({ value, label });
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
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
        name="settings.tlsVersion"
        label={t('targetForm.tlsVersion')}
        value={settings.tlsVersion ?? ''}
        options={[
          option('', t('targetForm.tlsBoth')),
          ...['1.3', '1.2'].map((version) => option(version, t('targetForm.tlsOnly', { version }))),
        ]}
      />
      <SelectField
        name="settings.sigalgs"
        label={t('targetForm.sigalgs')}
        value={settings.sigalgs ?? ''}
        options={[option('', t('targetForm.sigalgsAny')), option('RSA', 'RSA'), option('ECDSA', 'ECDSA')]}
      />
      <SelectField
        name="settings.family"
        label={t('targetForm.family')}
        value={settings.family?.toString() ?? ''}
        options={[
          option('', t('targetForm.familyAny')),
          ...['4', '6'].map((family) => option(family, t('targetForm.familyOnly', { family }))),
        ]}
      />
    </div>
  );
}
