import type { ProviderReport } from '../../api/schemas.ts';
import { toWindow } from '../../diagnostics/activity.ts';
import { POLL_MS, type Reading } from '../../diagnostics/diagnostics.ts';
import { isRehearsal } from '../../make/model-abilities.ts';
import { usePage } from '../../page-context.ts';
import { useNow } from '../../shell/use-now.ts';
import { formatClock, formatTime, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { BreakableName } from '../breakable-name.tsx';
import { Chart } from '../chart/chart.tsx';
import { toStepLine } from '../chart/step-line.ts';
import { type Gate, type Health, STEPS, toHealth } from './provider-health.ts';
import './provider-list.css';

/** Shows the state of each provider, its current work, and the steps for providers that are not ready. */
export function ProviderList({ reading }: { readonly reading: Reading }) {
  return (
    <section id="providers" class="provider-list box-row" tabIndex={-1}>
      <h2 class="sr">{text('system.providers')}</h2>
      {reading.report.providers.map((provider) => (
        <ProviderCard key={provider.name} provider={provider} reading={reading} />
      ))}
    </section>
  );
}

interface ProviderCardProps {
  readonly provider: ProviderReport;
  readonly reading: Reading;
}

/** Shows the health of one provider, and its current work or the steps that make the provider ready. */
function ProviderCard({ provider, reading }: ProviderCardProps) {
  const { name } = provider;
  const descriptor = usePage().providers.list.value?.find((each) => each.name === name);
  const gate = reading.report.runtime.providers[name];
  const health = toHealth(provider, gate?.breaker);
  const isBusy = gate !== undefined && gate.active + gate.queued > 0;
  const isReady = provider.ready;
  const tags = [
    text(`system.health.${health}`),
    descriptor?.default && text('make.model.default'),
    isReady && isRehearsal(name) && text('system.rehearsals'),
  ];
  return (
    <Box
      class="provider-card"
      title={
        <>
          <i class={dotOf(health)} />
          {descriptor?.display_name ?? name}
        </>
      }
      end={
        <span class={dotOf(health) === 'dot warn' ? 'warn' : 'soft'}>
          {tags.filter(Boolean).join(text('list.separator'))}
        </span>
      }
    >
      <Steps health={health} />
      {gate && (isReady || isBusy) && <Trio gate={gate} />}
      <ProviderHints provider={provider} gate={gate} health={health} at={reading.at} />
      {isReady && <CallLine name={name} />}
    </Box>
  );
}

function dotOf(health: Health): 'dot' | 'dot off' | 'dot warn' {
  if (health === 'ready') return 'dot';
  return health === 'checking' ? 'dot off' : 'dot warn';
}

function Steps({ health }: { readonly health: Health }) {
  const { [health]: steps } = STEPS;
  if (steps === undefined) return null;
  return (
    <ol class="steps stack">
      {steps.map(({ text: key, code }) => (
        <li key={key}>
          <span>
            {text(key)}
            {code && (
              <code class="mono">
                <BreakableName name={code} />
              </code>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Trio({ gate }: { readonly gate: Gate }) {
  const { active, queued, max_concurrent, max_queued, breaker } = gate;
  return (
    <dl class="trio num">
      <dt>{text('system.running')}</dt>
      <dd>
        {text('number', { value: active })} <Most value={max_concurrent} />
      </dd>
      <dt>{text('system.waiting')}</dt>
      <dd>
        {text('number', { value: queued })} <Most value={max_queued} />
      </dd>
      <dt>{text('system.breaker')}</dt>
      <dd>{text(`system.breaker.${breaker.state}`)}</dd>
    </dl>
  );
}

function Most({ value }: { readonly value: number | 'unlimited' }) {
  if (value === 'unlimited') return null;
  return <small>{text('system.of', { value })}</small>;
}

const SIZE = { width: 300, height: 36 };

/** Charts the concurrent calls of a provider while this view was open. */
function CallLine({ name }: { readonly name: string }) {
  const samples = usePage().activity.calls.value.get(name) ?? [];
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const minutes = toWindow(first.at, last.at);
  const points = samples.map(({ at, active }) => ({ at, value: active }));
  const most = Math.max(...points.map(({ value }) => value));
  if (most === 0) {
    const time = formatTime(first.at / 1000);
    return <p class="call-line hint num">{text('system.calls.none', { time })}</p>;
  }
  const frame = { ...SIZE, from: last.at - minutes * 60_000, to: last.at, top: Math.max(1, most) };
  // No samples exist for the time when the view was closed, so the line has a gap there.
  const { line } = toStepLine(points, { ...frame, gap: POLL_MS * 4 });
  return (
    <div class="call-line">
      <Chart low {...SIZE} label={text('system.calls', { most, minutes })}>
        <path class="grid" d={`M0 ${SIZE.height}H${SIZE.width}`} />
        <path class="stroke" d={line} />
      </Chart>
    </div>
  );
}

interface ProviderHintsProps {
  readonly provider: ProviderReport;
  readonly gate: Gate | undefined;
  readonly health: Health;
  /** The time of the report in Unix milliseconds. */
  readonly at: number;
}

/** Shows the time of the last check, the time when calls are allowed again, and the recent failures. */
function ProviderHints({ provider, gate, health, at }: ProviderHintsProps) {
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
