/** When a job's offer window closes: that many seconds from now, or null when 0 clears it (D24). */
export function timerExpiry(timerSeconds: number, now: Date): Date | null {
  return timerSeconds === 0 ? null : new Date(now.getTime() + timerSeconds * 1000);
}
