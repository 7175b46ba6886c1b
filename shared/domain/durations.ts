export const msPerMinute = 60_000;
export const msPerDay = 24 * 60 * msPerMinute;
