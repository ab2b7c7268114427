import { computed, type ReadonlySignal, signal } from '@preact/signals';

export const ROOT = '/dashboard';

/** The view that the address names. */
export type Route =
  | { readonly view: 'images' }
  | { readonly view: 'job'; readonly id: string }
  | { readonly view: 'system' }
  | { readonly view: 'table' }
  | { readonly view: 'race'; readonly id: string | undefined }
  | { readonly view: 'unknown' };

/** Returns true for the views with the panel for a new image or a new race. Other views are shown above them. */
export function isHome({ view }: Route): boolean {
  return view === 'images' || view === 'race';
}

/** A layer over a view. Back closes the layer. A layer has a history entry, but no address of its own. */
export type Layer = 'make' | 'mask' | 'extend' | 'crop' | 'queue' | undefined;

interface State {
  readonly layer?: Layer;
  /** True for entries that the page itself has pushed. Back from such an entry stays in the page. */
  readonly inside?: true;
}

export type Router = ReturnType<typeof createRouter>;

/** Provides the address bar as signals. Views read `route` and `query`. No other code uses `history`. */
export function createRouter() {
  const address = signal(read());
  /** Resolves when the step back in progress has ended. Undefined if no step is in progress. */
  let goingBack: Promise<void> | undefined;
  window.addEventListener('popstate', arrive);

  function arrive(): void {
    goingBack = undefined;
    address.value = read();
  }

  function go(url: string, state: State, replace: boolean): void {
    if (replace) history.replaceState(state, '', url);
    else history.pushState(state, '', url);
    arrive();
  }

  return {
    route: computed(() => toRoute(address.value.path)),
    query: computed(
      () => new URLSearchParams(address.value.search),
    ) as ReadonlySignal<URLSearchParams>,
    layer: computed(() => address.value.state.layer),

    /** Navigates to a path below /dashboard, including its query. */
    navigate(path: string, { replace = false } = {}): void {
      go(ROOT + path, replace ? address.peek().state : { inside: true }, replace);
    },

    /**
     * Changes parts of the query. `undefined` removes a part. Without `isStep`, no history entry is added, so that Back does not
     * undo each letter of a search.
     */
    setQuery(
      changes: Readonly<Record<string, string | undefined>>,
      { isStep = false }: { readonly isStep?: boolean } = {},
    ): void {
      const query = new URLSearchParams(address.peek().search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') query.delete(name);
        else query.set(name, value);
      }
      const search = query.size > 0 ? `?${query}` : '';
      if (search === address.peek().search) return;
      go(`${address.peek().path}${search}`, address.peek().state, !isStep);
    },

    openLayer(layer: NonNullable<Layer>, { replace = false } = {}): void {
      if (address.peek().state.layer === layer) return;
      const { path, search } = address.peek();
      go(path + search, { inside: true, layer }, replace);
    },

    /**
     * Goes back one history entry if the page has pushed the current entry, otherwise navigates to `fallback`. Resolves
     * when the address has changed. A second call joins the step in progress, so that it does not leave the page.
     */
    back(fallback = ''): Promise<void> {
      if (!address.peek().state.inside) {
        go(ROOT + fallback, {}, true);
        return Promise.resolve();
      }
      goingBack ??= new Promise((resolve) => {
        window.addEventListener('popstate', () => resolve(), { once: true });
        history.back();
      });
      return goingBack;
    },
  };
}

function read(): { readonly path: string; readonly search: string; readonly state: State } {
  const state: State =
    typeof history.state === 'object' && history.state !== null ? history.state : {};
  return { path: location.pathname, search: location.search, state };
}

function toRoute(path: string): Route {
  const [view = '', id, ...rest] = path.slice(ROOT.length).split('/').filter(Boolean);
  if (view === '') return { view: 'images' };
  if ((view === 'system' || view === 'table') && id === undefined) return { view };
  if (view === 'race' && rest.length === 0) {
    return { view, id: id === undefined ? undefined : decode(id) };
  }
  if (view === 'jobs' && id !== undefined && rest.length === 0) {
    return { view: 'job', id: decode(id) };
  }
  return { view: 'unknown' };
}

/** Decodes a path segment. A segment with an invalid escape is kept unchanged, because no job has such an id. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
