import type { Ui } from '#i18n/ui.ts';

/** What stands in a record for a person who was signed in to the dashboard; programs have the name of their key there. */
const DASHBOARD = 'dashboard';

/** Who did something, as pages call them. */
export const actorName = ({ t }: Ui, name: string) => (name === DASHBOARD ? t('incident.administrator') : name);
