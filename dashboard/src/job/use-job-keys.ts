import type { Job } from '../api/schemas.ts';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { type KeyBindings, useShortcuts } from '../shell/shortcuts.ts';
import { useJobActions } from './state/actions-context.ts';
import { isWorthRepeating } from './state/is-worth-repeating.ts';
import type { Look } from './state/look-context.ts';
import { stepOutput, VIEWS } from './state/looking.ts';
import type { Neighbours } from './state/neighbours.ts';

interface Keys {
  readonly job: Job | undefined;
  readonly look: Look;
  readonly neighbours: Neighbours;
  readonly go: (id: string) => void;
}

/** The keys of a job. */
export function useJobKeys({ job, look, neighbours, go }: Keys): void {
  const { router } = usePage();
  const actions = useActionKeys(job, look);
  const { zoom, looking } = look;
  useShortcuts({
    ...actions,
    ArrowLeft: unlessScrolling(() => neighbours.newer && go(neighbours.newer)),
    ArrowRight: unlessScrolling(() => neighbours.older && go(neighbours.older)),
    ArrowUp: unlessScrolling(() => step(-1)),
    ArrowDown: unlessScrolling(() => step(1)),
    ...Object.fromEntries(VIEWS.map((view, index) => [String(index + 1), () => show(view)])),
    s: () => looking.a && look.swap(),
    '+': zoom.nearer,
    'Shift++': zoom.nearer,
    '=': zoom.nearer,
    '-': zoom.farther,
    '0': zoom.fit,
    Escape: () => void router.back(),
  });

  function show(view: (typeof VIEWS)[number]): void {
    if (looking.views.includes(view)) {
      router.setQuery({ view: view === 'single' ? undefined : view });
    }
  }

  function step(by: -1 | 1): void {
    const image = stepOutput(look.images, looking, by);
    if (image !== undefined) router.setQuery({ b: image.ref });
  }
}

function useActionKeys(job: Job | undefined, { looking, images }: Look): KeyBindings {
  const actions = useJobActions();
  if (job === undefined) return {};
  const outputs = images.filter(({ kind }) => kind === 'output');
  const shown = outputs.find((each) => each === looking.b) ?? outputs[0];
  const hide = () => actions.setHidden(job.deleted === undefined);
  return {
    f: () => actions.setFavorite(!job.favorite),
    h: () => !isOpen(job) && hide(),
    Delete: () => (isOpen(job) ? actions.cancel() : hide()),
    e: () => shown && actions.edit(shown),
    r: () => isWorthRepeating(job) && actions.makeAgain(job),
    d: () => shown && void actions.download(shown),
  };
}

/** Arrows scroll what has the focus and scrolls. */
function unlessScrolling(run: () => void) {
  return (event: KeyboardEvent): void => {
    if (event.target instanceof Element && event.target.closest('.scroll') !== null) return;
    event.preventDefault();
    run();
  };
}
