import { MAX_REDIRECTS, METHODS, type ProbeSettings } from '#contract/target.ts';
import type { Ui } from '#i18n/ui.ts';
import { AreaField, CheckField, SelectField, TextField } from '../ui/field.tsx';

type Props = { ui: Ui; settings: ProbeSettings };

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
