import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { text } from '../text/text.ts';

/**
 * Returns a component whose code is loaded when the component is first shown. If loading fails, for example because the
 * bridge was updated, the component offers to reload the page.
 */
export function lazyView<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
): FunctionComponent<P> {
  const loaded = signal<{ readonly view: FunctionComponent<P> } | 'failed' | undefined>(undefined);

  async function start(): Promise<void> {
    try {
      loaded.value = { view: await load() };
    } catch {
      loaded.value = 'failed';
    }
  }

  return function LazyView(props: P) {
    useEffect(() => {
      if (typeof loaded.peek() !== 'object') void start();
    }, []);
    const current = loaded.value;
    if (current === 'failed') return <Outdated />;
    return current === undefined ? null : <current.view {...props} />;
  };
}

function Outdated() {
  return (
    <div class="lazy-view centred" role="alert">
      <p>{text('app.outdated')}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {text('app.reload')}
      </Button>
    </div>
  );
}
