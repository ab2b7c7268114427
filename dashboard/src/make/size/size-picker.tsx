import { useState } from 'preact/hooks';
import type { Capabilities } from '../../api/schemas.ts';
import { Field, Segmented } from '../../controls/inputs.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { ShapePicker } from './shape-picker.tsx';
import { parseSize, type Shape, shapeOf, sizeFault, toShapes } from './shapes.ts';
import './size-picker.css';

/** The assumed sizes of a model until its capabilities are known. */
const UNKNOWN = { auto: true, allowed: [], arbitrary: true };

/** Chooses a size by its shape. */
export function SizePicker() {
  const { draft, chosen } = usePage();
  const sizes = chosen.value?.capabilities?.sizes;
  const { size: asked, aspect_ratio: hint } = draft.settings.value.parameters ?? {};
  const size = asked ?? 'auto';
  const shapes = toShapes(sizes ?? UNKNOWN);
  const shape = shapeOf(size, shapes);
  const [isCustom, setCustom] = useState(false);

  function choose(next: string | undefined): void {
    draft.set('parameters', { size: next, aspect_ratio: undefined, resolution: undefined });
  }

  return (
    <section class="size-picker stack" aria-labelledby="size-title">
      <header>
        <h3 id="size-title" class="soft">
          {text('make.size')}
        </h3>
        <span class="num">{hint ?? toLabel(size)}</span>
      </header>
      <ShapePicker
        labelId="size-title"
        choices={[
          { name: 'auto', label: text('make.size.auto'), ratio: 1, size: undefined },
          ...shapes.map(({ name, ratio, sizes: [first] }) => ({
            ...{ name, label: name, ratio, size: first },
            reasonId: first === undefined ? 'size-note' : undefined,
          })),
        ]}
        current={hint ? undefined : (shape?.name ?? 'auto')}
        onChoose={(choice) => choose(choice.size)}
      />
      {shape && shape.sizes.length > 1 && (
        <Segmented
          wide
          label={text('make.size.pixels')}
          value={size}
          options={shape.sizes.map((value) => ({ value, label: toLabel(value) }))}
          onChange={choose}
        />
      )}
      <SizeNote
        shapes={shapes}
        model={chosen.value?.model}
        isCustom={isCustom}
        onCustom={setCustom}
        sizes={sizes}
      />
      {sizes?.arbitrary && isCustom && <CustomSize sizes={sizes} size={size} onChange={choose} />}
    </section>
  );
}

interface NoteProps {
  readonly shapes: readonly Shape[];
  readonly model: string | undefined;
  readonly sizes: Capabilities['sizes'] | undefined;
  readonly isCustom: boolean;
  readonly onCustom: (isCustom: boolean) => void;
}

/** Offers a custom size if the model supports any size. Otherwise, shows which shapes the model supports. */
function SizeNote({ shapes, model, sizes, isCustom, onCustom }: NoteProps) {
  if (sizes?.arbitrary) {
    return (
      <button
        type="button"
        class="more text-button"
        aria-expanded={isCustom}
        onClick={() => onCustom(!isCustom)}
      >
        {text('make.size.custom')}
      </button>
    );
  }
  const missing = shapes.some((shape) => shape.sizes.length === 0);
  if (!missing || model === undefined) return null;
  const has = shapes.filter((shape) => shape.sizes.length > 0).map(({ name }) => name);
  return (
    <p id="size-note" class="hint">
      {text('make.size.only', { model, shapes: has.join(text('list.separator')) })}
    </p>
  );
}

function toLabel(size: string): string {
  const parsed = parseSize(size);
  if (parsed === undefined) return text('make.size.auto');
  return text('size', { width: String(parsed.width), height: String(parsed.height) });
}

interface CustomSizeProps {
  readonly sizes: Capabilities['sizes'];
  readonly size: string;
  readonly onChange: (size: string) => void;
}

/** Edits a custom size, for models that support any size. The size takes effect as soon as the model supports it. */
function CustomSize({ sizes, size, onChange }: CustomSizeProps) {
  const start = parseSize(size) ?? { width: 1024, height: 1024 };
  const [width, setWidth] = useState(String(start.width));
  const [height, setHeight] = useState(String(start.height));
  const wanted = parseSize(`${width}x${height}`);
  const fault = wanted && sizeFault(wanted.width, wanted.height, sizes);

  function take(nextWidth: string, nextHeight: string): void {
    setWidth(nextWidth);
    setHeight(nextHeight);
    const next = parseSize(`${nextWidth}x${nextHeight}`);
    if (next && sizeFault(next.width, next.height, sizes) === undefined) {
      onChange(`${nextWidth}x${nextHeight}`);
    }
  }

  const isBad = wanted === undefined || fault !== undefined;
  return (
    <div class="custom-size fields">
      <Field
        label={text('make.size.width')}
        value={width}
        bad={isBad}
        maxLength={5}
        aria-describedby="custom-size-note"
        onInput={(value) => take(value, height)}
      />
      <span aria-hidden="true">×</span>
      <Field
        label={text('make.size.height')}
        value={height}
        bad={isBad}
        maxLength={5}
        aria-describedby="custom-size-note"
        onInput={(value) => take(width, value)}
      />
      <p id="custom-size-note" class={isBad ? 'bad' : 'hint'} role="status">
        {wanted === undefined && text('make.size.whole')}
        {fault && text(`make.size.fault.${fault.fault}`, { limit: fault.limit })}
      </p>
    </div>
  );
}
