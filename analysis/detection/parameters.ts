/** Seconds of usual samples after which an incident is over. */
export const quietSeconds = 1_800;
