import { useNow } from '../../shell/use-now.ts';
import { formatClock, text } from '../../text/text.ts';
import type { Gate, Health, ProviderReport } from './provider-health.ts';

interface Props {
  readonly provider: ProviderReport;
  readonly gate: Gate | undefined;
  readonly health: Health;
  /** When this was read, in Unix milliseconds. */
  readonly at: number;
}

/** What else is to know of a provider: when it was checked, when calls are let through again, what has failed. */
export function ProviderHints({ provider, gate, health, at }: Props) {
  const { ready, checked, restarts } = provider;
  const breaker = gate?.breaker;
  return (
    <>
      {!ready && <Checked checked={checked} />}
      {health === 'paused' && breaker && (
        <p class="num">
          {text('system.paused', { count: breaker.failures })}{' '}
          <Countdown until={at + (breaker.retry_after_ms ?? 0)} />
        </p>
      )}
      {health === 'retrying' && <p>{text('system.retrying')}</p>}
      {health === 'ready' && breaker && breaker.failures > 0 && (
        <p class="hint num">{text('system.failures', { count: breaker.failures })}</p>
      )}
      {restarts > 0 && <p class="hint num">{text('system.restarts', { count: restarts })}</p>}
    </>
  );
}

function Checked({ checked }: { readonly checked: number }) {
  const now = useNow(1000);
  const count = Math.max(0, Math.round(now / 1000) - checked);
  return <p class="hint num">{text('system.checked', { count })}</p>;
}

function Countdown({ until }: { readonly until: number }) {
  const now = useNow(1000);
  const left = until - now;
  return (
    <>
      {left > 0
        ? text('system.pausedFor', { clock: formatClock(left + 999) })
        : text('system.pausedUntilNext')}
    </>
  );
}
