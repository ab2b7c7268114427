import { useEffect, useState } from 'preact/hooks';

/** The time in Unix milliseconds, renewed every `everyMs` while the component is shown and `running` holds. */
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
