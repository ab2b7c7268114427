import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { pause } from '../connection/pause.ts';
import { Button } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';

/** The functions that load the code of all views. */
const loaders: (() => Promise<void>)[] = [];

/** Loads the code of all views, so that the views also open while the bridge is unreachable. */
export function loadViews(): void {
  for (const load of loaders) void load();
}

/**
 * Returns a component whose code is loaded when the component is first shown, or by `loadViews`. If loading fails, for
 * example because the bridge was updated, the component offers to reload the page below `Shell`, and reloads the page when
 * the bridge is reachable again and has answered the requests that wait.
 */
export function lazyView<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  Shell?: FunctionComponent,
): FunctionComponent<P> {
  const loaded = signal<{ readonly view: FunctionComponent<P> } | 'failed' | undefined>(undefined);

  async function start(): Promise<void> {
    if (typeof loaded.peek() === 'object') return;
    try {
      loaded.value = { view: await load() };
    } catch {
      loaded.value = 'failed';
    }
  }

  loaders.push(start);

  return function LazyView(props: P) {
    useEffect(() => {
      void start();
    }, []);
    const current = loaded.value;
    if (current === 'failed') {
      if (Shell === undefined) return <Outdated />;
      return (
        <div class="app-view">
          <Shell />
          <Outdated />
        </div>
      );
    }
    return current === undefined ? null : <current.view {...props} />;
  };
}

function Outdated() {
  const { connection, resending } = usePage();
  const { value: returns } = connection.returns;
  const isWaiting = resending.pending.value > 0;
  const first = useRef(returns);
  useEffect(() => {
    if (returns === first.current || isWaiting) return;
    const controller = new AbortController();
    void reloadWhenServed(controller.signal);
    return () => controller.abort();
  }, [returns, isWaiting]);
  return (
    <div class="lazy-view centred" role="alert">
      <p>{text('app.outdated')}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {text('app.reload')}
      </Button>
    </div>
  );
}

/** The pause between two attempts to read the page, in milliseconds. */
const PAUSE_MS = 2000;

/**
 * Reloads the page once the bridge serves it. A reply that was still on its way when the bridge stopped also counts as a return, and a
 * reload would then show the error page of the browser.
 */
async function reloadWhenServed(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const reply = await fetch(location.href, { cache: 'no-store', signal }).catch(() => undefined);
    if (reply?.ok) return location.reload();
    await pause(PAUSE_MS, signal);
  }
}
