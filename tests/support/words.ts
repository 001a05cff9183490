/** What stands between white space: a list that is read as a text is. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
