import type { MapView } from '#components/filters/filter.ts';
import { MeasurementView } from '#components/measurement/measurement-view.tsx';
import { Time } from '#components/ui/time.tsx';
import type { Measurement } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { withoutNames } from '#server/measurements/share.ts';
import { AgainstUsual, AnswerAdvice } from './[id]/beside.tsx';

type Props = {
  ui: Ui;
  measurement: Measurement;
  /** The one that watches this server. */
  target: { id: string; name: string } | undefined;
  /** Whether the reader may know the names of vantages and of the target, and go to their pages. */
  named: boolean;
  map: MapView;
};

/** The answers of a measurement and what stands beside them. */
export function MeasurementAnswers({ ui, measurement, target, named, map }: Props) {
  const shown = named ? measurement : withoutNames(measurement);
  return (
    <>
      <MeasurementView ui={ui} measurement={shown} named={named} map={map}>
        {target ? <AgainstUsual ui={ui} measurement={measurement} target={target} named={named} /> : null}
        {measurement.finished ? <AnswerAdvice ui={ui} measurement={shown} /> : null}
      </MeasurementView>
      <p className="mt-3 text-[0.86rem] text-muted">
        {ui.t('measurement.kept')} <Time ui={ui} at={measurement.expiresAt} detail="minute" />
      </p>
    </>
  );
}
