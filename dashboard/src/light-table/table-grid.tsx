import { Check, Heart, X } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../controls/button.tsx';
import { useImage, useSteadyImage } from '../images/use-image.ts';
import { columnsFor, fitInto, longestShown } from '../job/stage/geometry.ts';
import { LostImage, useBox } from '../job/stage/image-layer.tsx';
import { isNarrow } from '../shell/is-narrow.ts';
import { text } from '../text/text.ts';
import type { createZoom } from '../zoom/zoom.ts';
import type { LightTable, TableImage } from './table-state.ts';

interface Props {
  readonly table: LightTable;
  readonly images: readonly TableImage[];
  readonly at: number;
  readonly zoom: ReturnType<typeof createZoom>;
  /** True if only the image that has the focus is shown. */
  readonly isAlone: boolean;
  readonly grid: RefObject<HTMLUListElement | null>;
}

/** Renders the images in cells of equal size. */
export function TableGrid({ table, images, at, zoom, isAlone, grid }: Props) {
  const box = useBox(grid);
  const { width = 3, height = 2 } = images[0]?.image.size ?? {};
  const columns = isAlone || !box ? 1 : columnsFor(images.length, width / height, box);
  return (
    <ul
      ref={grid}
      class={isAlone ? 'table-grid alone' : 'table-grid'}
      aria-label={text('table.images')}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {images.map((one, index) =>
        isAlone && index !== at ? null : (
          <TableCell key={one.id} {...{ table, one, index, zoom }} isAt={index === at} />
        ),
      )}
    </ul>
  );
}

interface CellProps {
  readonly table: LightTable;
  readonly one: TableImage;
  readonly index: number;
  readonly isAt: boolean;
  readonly zoom: ReturnType<typeof createZoom>;
}

function TableCell({ table, one, index, isAt, zoom }: CellProps) {
  const choice = table.choices.value.get(one.id);
  const isFavourite = table.marksOf(one).favorite === true;
  const model = one.job.result?.model ?? one.job.request.routing.model ?? '';
  const name = [
    String(index + 1),
    one.job.request.prompt.slice(0, 80),
    model,
    choice && text(`table.${choice}`),
    isFavourite && text('card.favourite'),
  ]
    .filter(Boolean)
    .join(', ');
  return (
    <li class="table-cell" data-at={isAt} data-choice={choice}>
      <Picture {...{ table, one, index, isAt, zoom, name }} />
      <span class="table-number chip num" aria-hidden="true">
        {index + 1}
      </span>
      <span class="table-flags row" aria-hidden="true">
        {isFavourite && (
          <span class="chip middle">
            <Icon of={Heart} small filled />
          </span>
        )}
        {choice && (
          <span class={`chip middle ${choice}`}>
            <Icon of={choice === 'picked' ? Check : X} small />
          </span>
        )}
      </span>
      <p class="table-caption">
        <b class="cut" dir="auto">
          {one.job.request.prompt.slice(0, 80)}
        </b>
        <span class="soft cut">{model}</span>
      </p>
    </li>
  );
}

/** The longest edge of the previews in pixels. A machine with little memory gets smaller ones. */
const EDGE = ((navigator as { deviceMemory?: number }).deviceMemory ?? 4) < 4 ? 1024 : 2048;
/** The time in milliseconds after which an original that is no longer needed is dropped. */
const KEPT_MS = 10_000;

/** Shows one image, zoomed and moved like all others, in shares of the image. */
function Picture({ table, one, index, isAt, zoom, name }: CellProps & { readonly name: string }) {
  const element = useRef<HTMLButtonElement>(null);
  const box = useBox(element);
  const { image } = one;
  const size = image.size ?? { width: 3, height: 2 };
  const { value: pane } = table.pane;
  const { x, y, k } = zoom.transform.value;
  // On a narrow screen, the image that has the focus is larger than the others, and alone is zoomed by touch.
  const isZoomed = isAt || !isNarrow();
  useLayoutEffect(() => {
    if (!isZoomed || element.current === null) return;
    return zoom.attach(element.current);
  }, [zoom, isZoomed]);
  useLayoutEffect(() => {
    if (isAt && box !== undefined) table.pane.value = box;
  }, [isAt, box]);
  const fitted = box && fitInto(size, box, longestShown([size]));
  const pixels = fitted ? Math.max(fitted.width, fitted.height) * k * devicePixelRatio : 0;
  const needsMore = isAt && pixels > EDGE && Math.max(size.width, size.height) > EDGE;
  const preview = useSteadyImage(`${image.path}/thumbnail?edge=${EDGE}`);
  // The gallery has often loaded the thumbnail, which is shown until the larger preview is ready.
  const isWaiting = preview.state === 'loading';
  const thumbnail = useImage(isWaiting ? `${image.path}/thumbnail?edge=512` : undefined);
  const original = useImage(useLate(needsMore) ? image.path : undefined);
  const shown =
    original.state === 'ready' && needsMore ? original : isWaiting ? thumbnail : preview;
  const style = box &&
    fitted && {
      inlineSize: `${fitted.width}px`,
      blockSize: `${fitted.height}px`,
      // The same share of every image is in the middle of its cell.
      transform: `translate(${box.width / 2 - shareAt(x, pane.width, k) * fitted.width * k}px, ${
        box.height / 2 - shareAt(y, pane.height, k) * fitted.height * k
      }px) scale(${k})`,
    };
  return (
    <>
      <button
        ref={element}
        type="button"
        class={k > 1 ? 'table-picture zoomed-in' : 'table-picture'}
        tabIndex={isAt ? 0 : -1}
        aria-label={name}
        aria-current={isAt}
        onFocus={() => {
          table.at.value = index;
        }}
        onClick={({ currentTarget }) => currentTarget.focus()}
      >
        {shown.state === 'ready' && style && (
          <img
            class={image.format === 'jpeg' ? '' : 'on-pattern'}
            src={shown.url}
            alt=""
            decoding="async"
            draggable={false}
            style={style}
          />
        )}
      </button>
      {/* Beside the button, because its name stands for all its content. */}
      {preview.state === 'failed' && box && <LostImage error={preview.error} size={box} />}
    </>
  );
}

/** Returns the share of the image that is in the middle of a pane of this length, along one axis. */
function shareAt(offset: number, length: number, k: number): number {
  return (length / 2 - offset) / k / length;
}

/** Returns true while `isNeeded` is true, and for some time afterwards. */
function useLate(isNeeded: boolean): boolean {
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    if (isNeeded) {
      setKept(true);
      return;
    }
    const timer = setTimeout(setKept, KEPT_MS, false);
    return () => clearTimeout(timer);
  }, [isNeeded]);
  return isNeeded || isKept;
}
