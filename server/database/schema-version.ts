/**
 * The newest migration that this code needs. A constant, because the web process is bundled and sees no
 * prisma/migrations; a test holds it against the folder.
 */
export const NEWEST_MIGRATION = '20261202060000_counterfactual';
