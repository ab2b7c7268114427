import { Minus, Plus } from 'lucide';
import { Button, IconButton } from '../../controls/button.tsx';
import { Slider } from '../../controls/inputs.tsx';
import { text } from '../../text/canvas-text.ts';
import type { Edit } from '../edit.ts';
import type { MaskEdge } from '../mask-edge.ts';
import { toPercent } from '../plane.ts';

/** The limits of the edge, in pixels of the source. */
const MAX_FEATHER = 128;
const MAX_GROW = 64;

/** Shows the part of the result that may change, and changes the edge of the mask. */
export function ChangeBlock({ edit }: { readonly edit: Edit }) {
  const percent = toPercent(edit.share.value);
  return (
    <section class="block stack" aria-labelledby="change-title">
      <header>
        <h3 id="change-title" class="soft">
          {text('canvas.change')}
        </h3>
        <Button look="quiet" size="small" disabled={edit.plane.share() === 0} onClick={edit.clear}>
          {text('mask.clear')}
        </Button>
        <span class="share num" role="status">
          {text('canvas.share', { percent })}
        </span>
      </header>
      <EdgeRow edit={edit} name="feather" min={0} max={MAX_FEATHER} />
      <EdgeRow edit={edit} name="grow" min={-MAX_GROW} max={MAX_GROW} />
      {edit.scale < 1 && (
        <p class="hint">
          {text('canvas.coarse', {
            width: String(edit.plane.width),
            height: String(edit.plane.height),
          })}
        </p>
      )}
    </section>
  );
}

interface EdgeRowProps {
  readonly edit: Edit;
  readonly name: keyof MaskEdge;
  readonly min: number;
  readonly max: number;
}

/** The distance of one press on a phone, in pixels. */
const STEP = 8;

/** Changes one setting of the edge: with a slider, or on a phone with two buttons. */
function EdgeRow({ edit, name, min, max }: EdgeRowProps) {
  const value = edit.settings.value[name];
  const label = text(`canvas.${name}`);
  const set = (next: number) =>
    edit.set({ [name]: Math.min(max, Math.max(min, Math.round(next))) }, name);
  const shown = text('canvas.pixels', { count: value });
  return (
    <div class="side-row">
      <span aria-hidden="true">{label}</span>
      <div class="edge-row" role="group" aria-label={label}>
        <Slider
          label={label}
          min={min}
          max={max}
          value={value}
          aria-valuetext={shown}
          onChange={set}
        />
        <span class="num">{shown}</span>
        <span class="steps-of-slider row">
          <IconButton
            icon={Minus}
            label={text('canvas.less', { name: label })}
            disabled={value <= min}
            onClick={() => set(value - STEP)}
          />
          <IconButton
            icon={Plus}
            label={text('canvas.more.of', { name: label })}
            disabled={value >= max}
            onClick={() => set(value + STEP)}
          />
        </span>
      </div>
    </div>
  );
}
