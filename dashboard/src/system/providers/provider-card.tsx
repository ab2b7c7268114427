import type { Reading } from '../../diagnostics/diagnostics.ts';
import { isRehearsal } from '../../make/model-abilities.ts';
import { usePage } from '../../page-context.ts';
import { type TextKey, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { BreakableName } from '../breakable-name.tsx';
import { CallLine } from './call-line.tsx';
import { type Gate, type Health, type ProviderReport, STEPS, toHealth } from './provider-health.ts';
import { ProviderHints } from './provider-hints.tsx';
import './provider-card.css';

interface Props {
  readonly provider: ProviderReport;
  readonly reading: Reading;
}

/** One provider: how it is, what it does, or the steps until it is ready. */
export function ProviderCard({ provider, reading }: Props) {
  const { name } = provider;
  const descriptor = usePage().providers.list.value?.find((each) => each.name === name);
  const gate = reading.report.runtime.providers[name];
  const health = toHealth(provider, gate?.breaker);
  const isBusy = gate !== undefined && gate.active + gate.queued > 0;
  const isReady = provider.ready;
  const tags = [
    text(`system.health.${health}`),
    descriptor?.default && text('system.default'),
    isReady && isRehearsal(name) && text('system.rehearsals'),
  ];
  return (
    <Box
      class="provider-card"
      title={
        <>
          <i class={`dot ${DOTS[health]}`} />
          {descriptor?.display_name ?? name}
        </>
      }
      end={
        <span class={DOTS[health] === 'warn' ? 'warn' : 'soft'}>
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

const DOTS: Readonly<Record<Health, string>> = {
  ready: '',
  checking: 'off',
  login: 'warn',
  key: 'warn',
  executable: 'warn',
  configuration: 'warn',
  account: 'warn',
  unready: 'warn',
  paused: 'warn',
  retrying: 'warn',
};

function Steps({ health }: { readonly health: Health }) {
  const { [health]: steps } = STEPS;
  if (steps === undefined) return null;
  return (
    <ol>
      {steps.map(({ text: key, code }) => (
        <li key={key}>
          <span>
            {text(key as TextKey)}
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
