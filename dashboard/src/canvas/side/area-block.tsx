import { useEffect, useState } from 'preact/hooks';
import { Segmented } from '../../controls/inputs.tsx';
import type { Size } from '../../images/measure-image.ts';
import { ShapePicker } from '../../make/size/shape-picker.tsx';
import { text } from '../../text/canvas-text.ts';
import { type CanvasArea, isWhole, wholeOf } from '../canvas-area.ts';
import {
  cropTo,
  extendTo,
  freeAxis,
  PLACES,
  parseCanvas,
  placeImage,
  toCanvasText,
  type Way,
} from '../change-area.ts';
import type { Edit } from '../edit.ts';
import { RectangleFields } from '../rectangle/rectangle-fields.tsx';

interface AreaBlockProps {
  readonly edit: Edit;
  readonly way: Way;
}

/** The ratios (width divided by height) that one press chooses. */
const SHAPES = [
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['16:9', 16 / 9],
  ['21:9', 21 / 9],
  ['9:16', 9 / 16],
] as const;

/** Chooses the canvas by its shape, by the place of the image and by numbers. */
export function AreaBlock({ edit, way }: AreaBlockProps) {
  const { source } = edit;
  const { area } = edit.settings.value;
  const axis = freeAxis(area, source);
  return (
    <section class="block size-picker stack" aria-labelledby="area-title">
      <header>
        <h3 id="area-title" class="soft">
          {text('make.canvas')}
        </h3>
        <span class="num">
          {text('size', { width: String(area.width), height: String(area.height) })}
        </span>
      </header>
      <Shapes edit={edit} way={way} />
      {axis !== undefined && (
        <div class="side-row">
          <span>{text(`canvas.place.${way}`)}</span>
          {/* Left is on the left in every language. */}
          <div dir={axis === 'x' ? 'ltr' : undefined}>
            <Segmented
              wide
              label={text(`canvas.place.${way}`)}
              value={
                PLACES.find(
                  (place) => placeImage(area, axis, place, source)[axis] === area[axis],
                ) ?? ''
              }
              options={PLACES.map((place) => ({
                value: place as string,
                label: text(`canvas.place.${axis}.${place}`),
              }))}
              onChange={(value) => {
                const place = PLACES.find((each) => each === value);
                if (place) edit.set({ area: placeImage(area, axis, place, source) });
              }}
            />
          </div>
        </div>
      )}
      <Numbers edit={edit} />
    </section>
  );
}

/** Renders the shapes. The first shape is the whole image. */
function Shapes({ edit, way }: AreaBlockProps) {
  const { source } = edit;
  const { area } = edit.settings.value;
  const toArea = way === 'extend' ? extendTo : cropTo;
  const shapes = SHAPES.map(([name, ratio]) => ({ name, ratio, area: toArea(ratio, source) }));
  const isShape = (size: Size) => size.width === area.width && size.height === area.height;
  const current = isWhole(area, source) ? 'whole' : shapes.find((each) => isShape(each.area))?.name;
  const choices = [
    { name: 'whole', ratio: 1, area: wholeOf(source), label: text('canvas.whole') },
    ...shapes.map((shape) => ({ ...shape, label: shape.name })),
  ];
  return (
    <ShapePicker
      labelId="area-title"
      choices={choices}
      current={current}
      onChoose={({ area: next }) => edit.set({ area: next })}
    />
  );
}

/** Edits the canvas as numbers. The canvas changes as soon as the numbers are valid. */
function Numbers({ edit }: { readonly edit: Edit }) {
  const { source } = edit;
  const { area } = edit.settings.value;
  const [typed, setTyped] = useState(() => toCanvasText(area));
  useEffect(() => {
    // Other controls have changed the canvas.
    setTyped((now) => (isSame(parseCanvas(now, source), area) ? now : toCanvasText(area)));
  }, [area, source]);
  const parsed = parseCanvas(typed, source);
  const fault = typeof parsed === 'string' ? parsed : undefined;
  return (
    <div class="numbers">
      <RectangleFields
        id="canvas"
        typed={typed}
        fault={fault}
        maxLength={6}
        onInput={(next, name) => {
          setTyped(next);
          const found = parseCanvas(next, source);
          if (typeof found !== 'string') edit.set({ area: found }, `number ${name}`);
        }}
      />
      <p id="canvas-note" class={fault ? 'bad' : 'hint'} role="status">
        {fault ? text('make.canvas.bad') : ''}
      </p>
    </div>
  );
}

function isSame(a: CanvasArea | string, b: CanvasArea): boolean {
  if (typeof a === 'string') return false;
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
