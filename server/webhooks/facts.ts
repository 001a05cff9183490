import type { Incident } from '#contract/incident.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';

/** An incident as the API shows it, with what its messages add; lists of a long one are cut. */
export type Told = Omit<Incident, 'evidence'> & {
  evidence: {
    vantagesDown?: number;
    vantagesMeasured?: number;
    vantagesExpected?: number;
    vantagesSilent?: string[];
    openedAs?: IncidentKind;
  };
  link: string;
  reminder: boolean;
  cellsOmitted: number;
};

/** What a message tells of: of one in a burst some fields of its incident, of a comparison or a test none. */
export type Facts = Partial<Told>;

export const factsOf = ({ data }: Pick<WebhookPayload, 'data'>): Facts => data;

/** An event of a burst. */
export type GroupEntry = WebhookPayload & { id: string; incidentId: string | null };

/** The events of a burst that went into one message; null where the message is of one event. */
export const groupedOf = ({ data }: WebhookPayload) => (data.grouped as GroupEntry[] | undefined) ?? null;

/** How many events the message tells of in all. */
export const groupedCount = ({ data }: WebhookPayload) => Number(data.groupedCount);
