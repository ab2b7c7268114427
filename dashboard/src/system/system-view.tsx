import { CircleAlert, KeyRound, Unplug } from 'lucide';
import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api/api.ts';
import type { Diagnostics, Provider } from '../api/schemas.ts';
import { Banner } from '../controls/banner.tsx';
import { Button, Icon } from '../controls/button.tsx';
import { Blank } from '../gallery/states/blank.tsx';
import { usePage } from '../page-context.ts';
import { useNow } from '../shell/use-now.ts';
import { toFailureText } from '../text/failure-text.ts';
import { formatDuration, type TextKey, text } from '../text/text.ts';
import { ActivitySection } from './activity/activity-section.tsx';
import { ConfigurationBox } from './configuration/configuration-box.tsx';
import { SECTIONS, useCurrentSection } from './current-section.ts';
import { EventBox } from './events/event-box.tsx';
import { ModelTable } from './models/model-table.tsx';
import { toHealth, toSummary } from './providers/provider-health.ts';
import { ProviderList } from './providers/provider-list.tsx';
import { StorageBox } from './storage/storage-box.tsx';
import { UsageBox } from './usage/usage-box.tsx';
import '../gallery/states/skeletons.css';
import './system-view.css';

/** Shows the state of the bridge, which is read every few seconds while the view is open. */
export function SystemView() {
  const { diagnostics } = usePage();
  const main = useRef<HTMLElement>(null);
  const current = useCurrentSection(main);
  const isKnown = diagnostics.latest.value !== undefined;
  useEffect(() => diagnostics.watch(), [diagnostics]);
  useEffect(() => {
    // The section named by the address did not exist when the browser tried to scroll to the fragment.
    if (isKnown) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isKnown]);
  return (
    <div class="system-view">
      <SystemNav current={current} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only an element that can be focused */}
      <main ref={main} class="scroll" tabIndex={0} aria-label={text('app.system')}>
        <div class="sheet">
          <SystemHeading />
          <StaleBanner />
          <SystemParts />
          <ServiceFacts class="only-narrow" />
        </div>
      </main>
    </div>
  );
}

/** Summarizes the state of the bridge in one or two sentences. Changes are announced to screen readers. */
function SystemHeading() {
  const { diagnostics, providers, connection, queue } = usePage();
  const { value: reading } = diagnostics.latest;
  const isCurrent = connection.state.value === 'connected' && !diagnostics.error.value;
  return (
    <header class="system-heading">
      <h1>{text('app.system')}</h1>
      <p role="status">
        {reading && isCurrent && (
          <>
            {summaryOf(reading.report, providers.list.value ?? [])}
            {queue.latest.value?.paused && ` ${text('system.queue.paused')}`}
          </>
        )}
      </p>
    </header>
  );
}

function summaryOf({ providers, runtime }: Diagnostics, list: readonly Provider[]): string {
  const named = providers.map((provider) => {
    const descriptor = list.find(({ name }) => name === provider.name);
    return {
      health: toHealth(provider, runtime.providers[provider.name]?.breaker),
      name: descriptor?.display_name ?? provider.name,
      isDefault: descriptor?.default ?? false,
    };
  });
  return toSummary(named)
    .map(({ key, values }) => text(key as TextKey, values))
    .join(' ');
}

/** Lists the sections of the view and the facts about the service. */
function SystemNav({ current }: { readonly current: string }) {
  const nav = useRef<HTMLElement>(null);
  const { usage } = usePage();
  // The usage section is left out if the token lacks the permission to read its usage.
  const sections = SECTIONS.filter(({ id }) => id !== 'usage' || usage.latest.value !== undefined);
  useEffect(() => {
    // On phones, the row of sections is wider than the screen, so the current section is scrolled into view.
    nav.current
      ?.querySelector(`[href="#${current}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, sections.length]);
  return (
    <nav ref={nav} class="system-nav stack" aria-label={text('app.system')}>
      {sections.map(({ id, icon, name }) => (
        <a
          key={id}
          class="tab pickable"
          href={`#${id}`}
          aria-current={id === current ? 'location' : undefined}
        >
          <Icon of={icon} />
          {text(name)}
        </a>
      ))}
      <ServiceFacts class="only-wide" />
    </nav>
  );
}

/** Shows the version, the uptime, and who can reach the bridge. */
function ServiceFacts({ class: extra }: { readonly class: string }) {
  const { value: reading } = usePage().diagnostics.latest;
  if (reading === undefined) return null;
  const { service_version, uptime_ms, listener, authentication_required } = reading.report;
  const reach = text(`system.reach.${listener.scope}`);
  const token = text(authentication_required ? 'system.reach.token' : 'system.reach.noToken');
  const isOpen = listener.scope === 'remote' && !authentication_required;
  return (
    <p class={`service-facts num ${extra}`}>
      <span>{text('system.version', { version: service_version })}</span>
      <span>{text('system.uptime', { duration: formatDuration(uptime_ms) })}</span>
      <span>{text('system.port', { port: String(listener.port) })}</span>
      <span class={isOpen ? 'warn' : undefined}>{reach + text('list.separator') + token}</span>
    </p>
  );
}

/** Explains why the data below is out of date, and shows the age of the data. */
function StaleBanner() {
  const { connection, diagnostics } = usePage();
  const { value: reading } = diagnostics.latest;
  const { value: error } = diagnostics.error;
  const isOffline = connection.state.value === 'offline';
  const isStale = reading !== undefined && (isOffline || error !== undefined);
  const now = useNow(5000, isStale);
  if (!isStale) return null;
  const age = formatDuration(Math.max(1000, now - reading.at));
  const title =
    isOffline || error === undefined ? text('gallery.offline') : toFailureText(error, now).title;
  return (
    <Banner
      icon={isOffline ? Unplug : CircleAlert}
      title={title}
      detail={text('system.stale', { age })}
    >
      <Button onClick={isOffline ? connection.probe : () => void diagnostics.read()}>
        {text('gallery.offline.try')}
      </Button>
    </Banner>
  );
}

/** Shows all sections, placeholders while the report is loading, or the reason why there is no report. */
function SystemParts() {
  const { diagnostics, connection } = usePage();
  const { value: reading } = diagnostics.latest;
  const { value: error } = diagnostics.error;
  const { value: state } = connection.state;
  if (reading === undefined) {
    const isRefused = error !== undefined || state === 'offline' || state === 'unauthorized';
    return isRefused ? <SystemBlank error={error} /> : <SystemSkeletons />;
  }
  const { report } = reading;
  return (
    <>
      <ProviderList reading={reading} />
      <ActivitySection report={report} />
      <div class="tables">
        <ModelTable />
        <EventBox events={report.events} />
        <UsageBox />
      </div>
      <div class="lists">
        <StorageBox report={report} />
        <ConfigurationBox origins={report.configuration.origins} />
      </div>
    </>
  );
}

/** Explains why the state of the bridge is unknown, and offers the next action. */
function SystemBlank({ error }: { readonly error: ApiError | undefined }) {
  const { connection, diagnostics } = usePage();
  const { value: state } = connection.state;
  const onRetry = {
    connecting: () => void diagnostics.read(),
    connected: () => void diagnostics.read(),
    offline: connection.probe,
    unauthorized: connection.askForToken,
  }[state];
  return (
    <Blank {...toReason(state, error)} role="alert">
      <Button look="primary" onClick={onRetry}>
        {text(state === 'unauthorized' ? 'token.connect' : 'gallery.offline.try')}
      </Button>
    </Blank>
  );
}

function toReason(state: string, error: ApiError | undefined) {
  if (state === 'unauthorized') {
    return { icon: KeyRound, title: text('token.title'), detail: text('system.blank.token') };
  }
  if (state === 'offline' || error === undefined) {
    return { icon: Unplug, title: text('gallery.offline'), detail: text('system.blank.offline') };
  }
  if (error.status === 403) {
    return {
      icon: KeyRound,
      title: text('system.blank.denied'),
      detail: text('system.blank.denied.text'),
    };
  }
  const { title } = toFailureText(error, Date.now());
  return { icon: CircleAlert, title, detail: text('system.blank.failed') };
}

const ROWS = [
  { shape: '', count: 3 },
  { shape: 'tall', count: 3 },
  { shape: 'wide', count: 1 },
  { shape: 'beside', count: 1 },
];

/** Shows placeholders of the boxes while the report is loading. */
function SystemSkeletons() {
  return (
    <div class="system-skeletons box-row" role="status">
      <span class="sr">{text('system.loading')}</span>
      {ROWS.map(({ shape, count }) => (
        <Fragment key={shape}>{Array(count).fill(<i class={`skeleton ${shape}`} />)}</Fragment>
      ))}
    </div>
  );
}
