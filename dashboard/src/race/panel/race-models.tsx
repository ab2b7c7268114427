import { Check } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Provider, RouteSum } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { isRehearsal, isRehearsedFailure, toAbilities } from '../../make/model-abilities.ts';
import { ModelFilter, notReady } from '../../make/model-picker.tsx';
import { toRefusal } from '../../make/plan-text.ts';
import { formatDollars } from '../../money/money.ts';
import { text } from '../../money/money-text.ts';
import { usePage } from '../../page-context.ts';
import { isSame, MAX_RACERS, type Racer } from '../race-state.ts';
import { type NextRace, useNextRace } from './next-race.ts';
import { planMany, racerKey, toPlanSettings } from './race-plan.ts';

/** The number of models that are listed without a filter. */
const MAX_LISTED = 12;

type Prices = ReadonlyMap<string, RouteSum>;

/** Chooses up to six models, each with its price, its abilities, and the reason why it cannot be used. */
export function RaceModels() {
  const { providers, diagnostics, race, chosen: draftModel } = usePage();
  const { value: list = [] } = providers.list;
  const [filter, setFilter] = useState('');
  // The models of the last race stand first. A model that is chosen later keeps its place.
  const [before] = useState(race.racers.peek());
  const next = useNextRace();
  useEffect(() => {
    void diagnostics.read();
  }, [diagnostics]);
  const all = list.flatMap((provider) =>
    provider.models.map((model) => ({ provider, racer: { provider: provider.name, model } })),
  );
  const isChosen = (racer: Racer) => next.racers.some((one) => isSame(one, racer));
  const found = all.filter(({ provider, racer }) => {
    const words = `${provider.display_name} ${racer.model}`.toLowerCase();
    const isUsual = filter !== '' || !isRehearsedFailure(racer.model);
    return isChosen(racer) || (isUsual && words.includes(filter.trim().toLowerCase()));
  });
  const isReady = ({ racer }: (typeof all)[number]) =>
    diagnostics.latest.value?.report.providers.find(({ name }) => name === racer.provider)
      ?.ready !== false;
  const ordered = found.toSorted((one, two) => Number(isReady(two)) - Number(isReady(one)));
  // The model of the draft is listed, because the user knows it.
  const isListed = ({ racer }: (typeof all)[number]) =>
    isChosen(racer) ||
    (racer.provider === draftModel.value?.provider.name && racer.model === draftModel.value.model);
  const kept = ordered.filter(isListed);
  const others = ordered.filter((one) => !isListed(one));
  const shown = new Set([...kept, ...others.slice(0, MAX_LISTED - kept.length)]);
  const listed = ordered.filter((one) => shown.has(one));
  const prices = usePrices(
    listed.map(({ racer }) => racer),
    next,
  );

  // A model that cannot make the present request stands behind the others, as a model that is not ready.
  const mayRun = ({ racer }: (typeof all)[number]) => prices.get(racerKey(racer))?.requests !== 0;
  const wasChosen = ({ racer }: (typeof all)[number]) => before.some((one) => isSame(one, racer));
  const rows = listed.toSorted(
    (one, two) =>
      Number(wasChosen(two)) - Number(wasChosen(one)) || Number(mayRun(two)) - Number(mayRun(one)),
  );

  function toggle(racer: Racer): void {
    const { value: racers } = race.racers;
    race.racers.value = isChosen(racer)
      ? racers.filter((one) => !isSame(one, racer))
      : [...next.racers, racer];
  }

  return (
    <section class="race-models stack" aria-labelledby="race-models">
      <div class="row">
        <h3 id="race-models" class="soft grow">
          {text('race.models')}
        </h3>
        <span class="num" role="status">
          {text('race.models.chosen', { count: next.racers.length, limit: MAX_RACERS })}
        </span>
      </div>
      {all.length > MAX_LISTED && <ModelFilter value={filter} onInput={setFilter} />}
      <ul>
        {rows.map(({ provider, racer }) => (
          <RacerRow
            key={racerKey(racer)}
            {...{ provider, racer }}
            plan={prices.get(racerKey(racer))}
            isChosen={isChosen(racer)}
            isFull={next.racers.length >= MAX_RACERS}
            onToggle={() => toggle(racer)}
          />
        ))}
      </ul>
      {listed.length < found.length && (
        <p class="hint">{text('race.models.more', { count: found.length - listed.length })}</p>
      )}
    </section>
  );
}

interface RowProps {
  readonly provider: Provider;
  readonly racer: Racer;
  readonly plan: RouteSum | undefined;
  readonly isChosen: boolean;
  readonly isFull: boolean;
  readonly onToggle: () => void;
}

function RacerRow({ provider, racer, plan, isChosen, isFull, onToggle }: RowProps) {
  const { providers, diagnostics } = usePage();
  const document = providers.capabilities(racer.provider, racer.model).value;
  const report = diagnostics.latest.value?.report.providers.find(
    ({ name }) => name === racer.provider,
  );
  const [refused] = plan?.requests === 0 ? plan.refused : [];
  const fault =
    report?.ready === false
      ? notReady(report)
      : refused
        ? toRefusal(racer, refused.error).title
        : undefined;
  const isOff = !isChosen && (fault !== undefined || isFull);
  return (
    <li>
      <label class="racer" data-off={isOff}>
        <input type="checkbox" checked={isChosen} disabled={isOff} onChange={onToggle} />
        <span class="tickbox middle" aria-hidden="true">
          {isChosen && <Icon of={Check} small />}
        </span>
        <span class="grow">
          <b class="row">
            <i class={fault === undefined ? 'dot' : 'dot warn'} />
            <bdi class="cut">{racer.model}</bdi>
            <span class="faint cut grow">{provider.display_name}</span>
            <span class="num price">{toPrice(plan, racer)}</span>
          </b>
          <small class={fault === undefined ? '' : 'warn'}>
            {fault ?? (document ? toAbilities(document) : ' ')}
          </small>
        </span>
      </label>
    </li>
  );
}

/** Describes the price of one request. */
function toPrice(plan: RouteSum | undefined, { provider }: Racer): string {
  if (plan === undefined || plan.requests === 0) return '';
  if (plan.free === plan.requests) {
    return text(isRehearsal(provider) ? 'race.price.free' : 'race.price.here');
  }
  const { amount, bound } = plan.cost ?? {};
  if (amount === undefined) return text('race.price.unknown');
  const each = formatDollars(String(Number(amount) / plan.requests));
  return bound === 'at_most' ? text('race.price.atMost', { amount: each }) : each;
}

/** Plans the first prompt on each listed model. Models without a plan have no price yet. */
function usePrices(racers: readonly Racer[], { expansion }: NextRace): Prices {
  const { api, connection, draft } = usePage();
  const [prices, setPrices] = useState<Prices>(new Map());
  const { value: returns } = connection.returns;
  const prompt = expansion.prompts[0] ?? text('race.example');
  const named = JSON.stringify([racers.map(racerKey).toSorted(), prompt.length]);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const known = new Map<string, RouteSum>();
      for (let from = 0; from < racers.length; from += MAX_RACERS) {
        const routes = racers.slice(from, from + MAX_RACERS);
        const body = { ...toPlanSettings(draft), prompts: [prompt], routes: [...routes] };
        const plan = await planMany(api, body, controller.signal).catch(() => undefined);
        for (const route of plan?.routes ?? []) known.set(racerKey(route), route);
      }
      if (!controller.signal.aborted) setPrices(known);
    }, 300);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [named, draft.settings.value.parameters, draft.attachments.value, returns]);
  return prices;
}
