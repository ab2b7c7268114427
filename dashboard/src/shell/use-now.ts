import { useEffect, useState } from 'preact/hooks';

/** Returns the current time in Unix milliseconds, updated every `everyMs` milliseconds while `running` is true. */
export function useNow(everyMs: number, running = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, running]);
  return now;
}

/** Returns the time until `after` in milliseconds, or 0 once `after` has passed. `after` is in Unix milliseconds. */
export function useWait(after = 0): number {
  const now = useNow(1000, after > Date.now());
  return Math.max(0, after - Math.max(now, Date.now()));
}
