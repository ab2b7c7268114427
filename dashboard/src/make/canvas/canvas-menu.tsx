import { Crop } from 'lucide';
import { useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import { Field, Segmented } from '../../controls/inputs.tsx';
import { Menu, useMenu } from '../../controls/menu.tsx';
import type { Size } from '../../images/measure-image.ts';
import { usePage } from '../../page-context.ts';
import { type TextKey, text } from '../../text/text.ts';
import type { Attachment } from '../draft.ts';
import {
  type CanvasArea,
  type CanvasText,
  cropTo,
  extendTo,
  isBeyond,
  isWhole,
  parseCanvas,
  toCanvasText,
  wholeOf,
} from './canvas-area.ts';
import './canvas-menu.css';

const FIELDS: readonly { readonly name: keyof CanvasText; readonly label: TextKey }[] = [
  { name: 'x', label: 'mask.rectangle.x' },
  { name: 'y', label: 'mask.rectangle.y' },
  { name: 'width', label: 'mask.rectangle.width' },
  { name: 'height', label: 'mask.rectangle.height' },
];

/** The ratios (width divided by height) that one press chooses. */
const SHAPES = [
  ['1:1', 1],
  ['3:2', 3 / 2],
  ['2:3', 2 / 3],
  ['16:9', 16 / 9],
] as const;

/** Renders the button and the menu that crop or extend the first source. */
export function CanvasButton({ attachment }: { readonly attachment: Attachment }) {
  const { isOpen, close, button, menu } = useMenu('dialog');
  const has = attachment.canvas !== undefined;
  return (
    <>
      <Button {...button} look="quiet" size="small" icon={Crop} aria-pressed={has}>
        {text(has ? 'make.canvas.edit' : 'make.canvas')}
      </Button>
      {isOpen && (
        <Menu
          {...menu}
          class="canvas-menu"
          placement="bottom-end"
          label={text('make.canvas.title')}
        >
          <CanvasForm attachment={attachment} onDone={close} />
        </Menu>
      )}
    </>
  );
}

interface FormProps {
  readonly attachment: Attachment;
  readonly onDone: () => void;
}

/** Chooses the rectangle by its shape or by numbers. The area beyond the image is drawn by the model. */
function CanvasForm({ attachment, onDone }: FormProps) {
  const { draft, undo } = usePage();
  const source = { width: attachment.width, height: attachment.height };
  const [typed, setTyped] = useState(() => toCanvasText(attachment.canvas ?? wholeOf(source)));
  const [way, setWay] = useState<'extend' | 'crop'>('extend');
  const parsed = parseCanvas(typed, source);
  const area = typeof parsed === 'string' ? undefined : parsed;
  const fault = typeof parsed === 'string' ? parsed : undefined;

  function apply(next: CanvasArea | undefined): void {
    const hadMask = draft.mask.peek() !== undefined;
    const restore = draft.snapshot();
    draft.setCanvas(attachment.key, next && !isWhole(next, source) ? next : undefined);
    if (hadMask) undo.offer(text('make.canvas.maskRemoved'), restore);
    onDone();
  }

  return (
    <form
      class="canvas-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (area) apply(area);
      }}
    >
      <Preview source={source} area={area ?? wholeOf(source)} />
      <Segmented
        wide
        label={text('make.canvas.way')}
        value={way}
        options={(['extend', 'crop'] as const).map((value) => ({
          value,
          label: text(`make.canvas.${value}`),
        }))}
        onChange={setWay}
      />
      <div class="canvas-shapes row" role="group" aria-label={text('make.canvas.shapes')}>
        {SHAPES.map(([name, ratio]) => (
          <Button
            key={name}
            size="small"
            onClick={() =>
              setTyped(
                toCanvasText(way === 'extend' ? extendTo(ratio, source) : cropTo(ratio, source)),
              )
            }
          >
            {name}
          </Button>
        ))}
      </div>
      <div class="canvas-numbers">
        {FIELDS.map(({ name, label }) => (
          <div key={name}>
            <label class="hint" for={`canvas-${name}`}>
              {text(label)}
            </label>
            <Field
              id={`canvas-${name}`}
              value={typed[name]}
              maxLength={6}
              bad={fault === name}
              aria-describedby="canvas-note"
              onInput={(value) => setTyped({ ...typed, [name]: value.trim() })}
            />
          </div>
        ))}
      </div>
      <p id="canvas-note" class={fault ? 'bad' : 'hint'} role="status">
        {noteOf(area, source)}
      </p>
      <p class="row">
        <Button type="submit" look="primary" disabled={area === undefined}>
          {text('make.canvas.apply')}
        </Button>
        <Button look="quiet" onClick={() => apply(undefined)}>
          {text('make.canvas.whole')}
        </Button>
      </p>
    </form>
  );
}

function noteOf(area: CanvasArea | undefined, source: Size): string {
  if (area === undefined) return text('make.canvas.bad');
  return text(isBeyond(area, source) ? 'make.canvas.drawn' : 'make.canvas.exact', {
    width: String(area.width),
    height: String(area.height),
  });
}

/** Shows where the rectangle lies on the image. */
function Preview({ source, area }: { readonly source: Size; readonly area: CanvasArea }) {
  const [left, top] = [Math.min(0, area.x), Math.min(0, area.y)];
  const width = Math.max(source.width, area.x + area.width) - left;
  const height = Math.max(source.height, area.y + area.height) - top;
  return (
    <svg class="canvas-preview" viewBox={`${left} ${top} ${width} ${height}`} aria-hidden="true">
      <rect class="area" x={area.x} y={area.y} width={area.width} height={area.height} />
      <rect class="source" x="0" y="0" width={source.width} height={source.height} />
      <rect class="edge" x={area.x} y={area.y} width={area.width} height={area.height} />
    </svg>
  );
}
