import type { Signal } from '@preact/signals';
import { Brush, Contrast, Eraser, Redo2, SquareDashed, Undo2 } from 'lucide';
import { Button, IconButton, IconLabel } from '../controls/button.tsx';
import { Segmented, Slider } from '../controls/inputs.tsx';
import { useMenu } from '../controls/menu.tsx';
import { text } from '../text/text.ts';
import { fromPosition, toPosition } from './brush.ts';
import type { Painting } from './painting.ts';
import { type Rect, toPercent } from './plane.ts';
import { RectangleMenu } from './rectangle/rectangle-menu.tsx';
import './mask-tools.css';

interface Props {
  readonly painting: Painting;
  readonly frame: Signal<Rect | undefined>;
}

/** Renders the tools of the mask editor, at its lower edge. */
export function MaskTools({ painting, frame }: Props) {
  const { canUndo, canRedo } = painting.steps.value;
  const percent = toPercent(painting.share.value);
  return (
    <div class="mask-tools float row" role="toolbar" aria-label={text('mask.tools')}>
      <div class="row">
        <Segmented
          label={text('mask.tool')}
          value={painting.brush.tool.value}
          options={[
            { value: 'brush', label: <IconLabel of={Brush}>{text('mask.brush')}</IconLabel> },
            { value: 'eraser', label: <IconLabel of={Eraser}>{text('mask.eraser')}</IconLabel> },
          ]}
          onChange={painting.brush.choose}
        />
        <BrushSize painting={painting} />
      </div>
      <i class="sep only-wide" />
      <div class="changes row">
        <IconButton
          icon={Undo2}
          label={text('action.undo')}
          disabled={!canUndo}
          onClick={painting.undo}
        />
        <IconButton
          icon={Redo2}
          label={text('mask.redo')}
          disabled={!canRedo}
          onClick={painting.redo}
        />
        <RectangleButton painting={painting} frame={frame} />
        <IconButton icon={Contrast} label={text('mask.invert')} onClick={painting.invert} />
        <Button look="quiet" disabled={percent === 0} onClick={painting.clear}>
          {text('mask.clear')}
        </Button>
        <span class="share num soft">{text('mask.share', { percent })}</span>
      </div>
    </div>
  );
}

function BrushSize({ painting }: { readonly painting: Painting }) {
  const { source } = painting;
  const size = painting.brush.size.value;
  return (
    <div class="brush-size row">
      <span class="only-wide soft">{text('mask.size')}</span>
      <Slider
        label={text('mask.brushSize')}
        min={0}
        max={100}
        value={toPosition(size, source)}
        aria-valuetext={text('mask.brushSize.pixels', { count: size })}
        onChange={(position) => painting.brush.setSize(fromPosition(position, source))}
      />
      <span class="num soft">{size}</span>
    </div>
  );
}

function RectangleButton({ painting, frame }: Props) {
  const { isOpen, button, menu } = useMenu('dialog');
  return (
    <>
      <IconButton {...button} icon={SquareDashed} label={text('mask.rectangle')} />
      {isOpen && <RectangleMenu {...menu} painting={painting} frame={frame} />}
    </>
  );
}
