import { Check, Heart, Info, Printer, Undo2, X } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ConnectionNotice } from '../connection/connection-status.tsx';
import { Button, IconButton } from '../controls/button.tsx';
import { rowArrows } from '../controls/reading-order.ts';
import { Blank } from '../gallery/states/blank.tsx';
import { usePage } from '../page-context.ts';
import { isNarrow } from '../shell/is-narrow.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { useShortcuts } from '../shell/shortcuts.ts';
import { toFailureText } from '../text/failure-text.ts';
import { formatNumber, text } from '../text/text.ts';
import { createZoom } from '../zoom/zoom.ts';
import { ZoomBar } from '../zoom/zoom-bar.tsx';
import { TableFacts } from './facts-pane.tsx';
import { TableGrid } from './table-grid.tsx';
import { createLightTable, type LightTable, type TableImage } from './table-state.ts';
import './light-table.css';

const SheetDialog = lazyView(async () => (await import('./sheet/sheet-dialog.tsx')).SheetDialog);

/** Shows up to nine images together, with one zoom for all, to pick the ones to keep. */
export function LightTableView() {
  const page = usePage();
  const { router } = page;
  const named = router.query.value.get('jobs') ?? '';
  const table = useMemo(
    () => createLightTable(page, [...new Set(named.split(',').filter(Boolean))]),
    [page, named],
  );
  const { value: returns } = page.connection.returns;
  useEffect(() => {
    void table.load();
  }, [table, returns]);
  useEffect(() => table.close, [table]);
  useEffect(() => {
    document.title = `${text('table.title')} – ${text('app.name')}`;
    return () => {
      document.title = text('app.name');
    };
  }, []);
  const { value: images } = table.images;
  return (
    <div class="light-table">
      {images === undefined || images.length > 0 ? (
        <Table table={table} images={images ?? []} />
      ) : (
        <NoImages table={table} />
      )}
    </div>
  );
}

function NoImages({ table }: { readonly table: LightTable }) {
  const { router } = usePage();
  useShortcuts({ Escape: () => void router.back() });
  const [first] = table.failed.value;
  const title = first ? toFailureText(first.error, Date.now()).title : text('table.none');
  return (
    <main class="table-none">
      <Blank icon={X} title={title} detail={text('table.none.text')}>
        <Button onClick={() => void router.back()}>{text('app.toImages')}</Button>
      </Blank>
    </main>
  );
}

interface TableProps {
  readonly table: LightTable;
  readonly images: readonly TableImage[];
}

function Table({ table, images }: TableProps) {
  const [isAlone, setAlone] = useState(false);
  // On a phone, the facts cover the images until they are closed.
  const [hasFacts, setFacts] = useState(() => !isNarrow());
  const grid = useRef<HTMLUListElement>(null);
  const zoom = useMemo(
    () => createZoom({ filter: (event) => !isSecondary(event), doubleClickZooms: true }),
    [isAlone],
  );
  const at = Math.min(table.at.value, Math.max(0, images.length - 1));
  const current = images[at];
  useTableKeys({ table, images, at, zoom, grid, isAlone, setAlone, setFacts });
  const isRead = images.length > 0;
  useEffect(() => {
    // The view that opened the table, and the image that was shown alone before, have taken the focus with them.
    if (!isRead || document.activeElement !== document.body) return;
    grid.current?.querySelector<HTMLElement>('.table-picture[tabindex="0"]')?.focus();
  }, [isRead, isAlone, at]);
  const { k } = zoom.transform.value;
  return (
    <>
      <TableBar table={table} images={images} />
      <main class="table-main" data-facts={hasFacts}>
        <TableGrid {...{ table, images, at, zoom, isAlone, grid }} />
        {hasFacts && current && (
          <TableFacts {...{ table, images, current, at }} onClose={() => setFacts(false)} />
        )}
        {current && (
          <footer class="table-foot">
            <TableTools {...{ table, current, at }} count={images.length}>
              <IconButton
                icon={Info}
                aria-expanded={hasFacts}
                label={text(hasFacts ? 'table.hideFacts' : 'table.showFacts')}
                onClick={() => setFacts(!hasFacts)}
              />
            </TableTools>
          </footer>
        )}
        <ZoomBar
          zoom={zoom}
          isWhole={k <= 1}
          value={
            k > 1
              ? text('zoom.times', { times: formatNumber(Math.round(k * 10) / 10) })
              : text('zoom.fit')
          }
          style={{}}
        />
      </main>
    </>
  );
}

/** Returns true for a press of another button than the first. */
function isSecondary(event: Event): boolean {
  return event instanceof MouseEvent && !(event instanceof WheelEvent) && event.button !== 0;
}

function TableBar({ table, images }: TableProps) {
  const { router } = usePage();
  const [isKeeping, setKeeping] = useState(false);
  const [hasSheet, setSheet] = useState(false);
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  // After a reload, the choices are known before the images.
  const { value: choices } = table.choices;
  const values = images.flatMap(({ id }) => choices.get(id) ?? []);
  const picked = values.filter((choice) => choice === 'picked').length;
  const rejected = values.length - picked;
  const lost = table.failed.value.length;

  async function keep(): Promise<void> {
    setKeeping(true);
    const isKept = await table.keep();
    setKeeping(false);
    // The choices stay if an image could not be changed. The requests may have waited for the connection for long.
    if (isKept && !isLeft.current) await router.back();
  }

  return (
    <>
      <header class="table-bar view-bar bar">
        <div class="row">
          <IconButton icon={X} label={text('table.close')} onClick={() => void router.back()} />
          <h1 class="title cut">{text('table.title')}</h1>
          <span class="soft num only-wide">{text('card.images', { count: images.length })}</span>
          <ConnectionNotice />
        </div>
        <div class="row only-wide" role="status">
          {lost > 0 && <span class="soft">{text('table.lost', { count: lost })}</span>}
        </div>
        <div class="row">
          <span class="tally num row" role="status">
            {text('table.tally', { picked, rejected })}
          </span>
          <IconButton
            icon={Printer}
            label={text('table.sheet')}
            disabled={images.length === 0}
            onClick={() => setSheet(true)}
          />
          <Button
            look="primary"
            disabled={values.length === 0 || isKeeping}
            onClick={() => void keep()}
          >
            {picked > 0 || rejected === 0
              ? text('table.keep', { count: picked })
              : text('table.hide', { count: rejected })}
          </Button>
        </div>
      </header>
      {hasSheet && <SheetDialog {...{ table, images }} onClose={() => setSheet(false)} />}
    </>
  );
}

interface ToolsProps {
  readonly table: LightTable;
  readonly current: TableImage;
  readonly at: number;
  readonly count: number;
  readonly children: ComponentChildren;
}

function TableTools({ table, current, at, count, children }: ToolsProps) {
  const choice = table.choices.value.get(current.id);
  const isFavourite = table.marksOf(current).favorite === true;
  const label = text('table.tools', { number: at + 1 });
  return (
    <div class="table-tools float row" role="toolbar" aria-label={label}>
      <Button
        look="quiet"
        icon={X}
        aria-pressed={choice === 'rejected'}
        onClick={() => table.choose(current, 'rejected')}
      >
        {text('table.reject')}
      </Button>
      <span class="num soft">{text('table.at', { number: at + 1, count })}</span>
      <Button
        look="quiet"
        icon={Check}
        aria-pressed={choice === 'picked'}
        onClick={() => table.choose(current, 'picked')}
      >
        {text('table.pick')}
      </Button>
      <i class="sep only-wide" />
      <IconButton
        icon={Heart}
        label={text('job.one.favourite')}
        pressed={isFavourite}
        onClick={() => table.toggleFavorite(current)}
      />
      <IconButton icon={Undo2} label={text('action.undo')} onClick={() => table.undo()} />
      {children}
    </div>
  );
}

interface Keys extends TableProps {
  readonly at: number;
  readonly zoom: ReturnType<typeof createZoom>;
  readonly grid: RefObject<HTMLUListElement | null>;
  readonly isAlone: boolean;
  readonly setAlone: (isAlone: boolean) => void;
  readonly setFacts: (change: (hasFacts: boolean) => boolean) => void;
}

/** Binds the keys of the table. */
function useTableKeys({ table, images, at, zoom, grid, isAlone, setAlone, setFacts }: Keys): void {
  const { router, undo } = usePage();
  const current = images[at];

  function go(to: number): void {
    if (images[to] === undefined) return;
    table.at.value = to;
    grid.current?.querySelectorAll<HTMLElement>('.table-picture')[to]?.focus();
  }

  function columns(): number {
    const { current: list } = grid;
    return list ? getComputedStyle(list).gridTemplateColumns.split(' ').length : 1;
  }

  const onArrow = (by: () => number) => (event: KeyboardEvent) => {
    event.preventDefault();
    go(at + by());
  };

  useShortcuts({
    ...rowArrows((by, event) => onArrow(() => by)(event)),
    ArrowUp: onArrow(() => -columns()),
    ArrowDown: onArrow(() => columns()),
    ...Object.fromEntries(images.map((_, index) => [String(index + 1), () => go(index)])),
    p: () => current && table.choose(current, 'picked'),
    x: () => current && table.choose(current, 'rejected'),
    f: () => current && table.toggleFavorite(current),
    z: () => {
      if (!table.undo()) undo.undo();
    },
    Space: (event) => {
      event.preventDefault();
      setAlone(!isAlone);
    },
    i: () => setFacts((hasFacts) => !hasFacts),
    '+': zoom.zoomIn,
    'Shift++': zoom.zoomIn,
    '=': zoom.zoomIn,
    '-': zoom.zoomOut,
    '0': zoom.fit,
    Escape: () => {
      if (isAlone) setAlone(false);
      else void router.back();
    },
  });
}
