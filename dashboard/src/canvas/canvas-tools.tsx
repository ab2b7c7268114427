import type { Signal } from '@preact/signals';
import {
  Brush,
  Contrast,
  Eraser,
  Hand,
  Lasso,
  Minus,
  Plus,
  SquareDashed,
  TextCursorInput,
} from 'lucide';
import { Button, Icon, IconButton } from '../controls/button.tsx';
import { Segmented, Slider } from '../controls/inputs.tsx';
import { useMenu } from '../controls/menu.tsx';
import { text } from '../text/canvas-text.ts';
import { fromPosition, TOOLS, toPosition } from './brush.ts';
import type { Edit } from './edit.ts';
import type { Rect } from './plane.ts';
import { RectangleMenu } from './rectangle/rectangle-menu.tsx';
import './canvas-tools.css';

interface Props {
  readonly edit: Edit;
  readonly frame: Signal<Rect | undefined>;
}

const ICONS = { brush: Brush, eraser: Eraser, lasso: Lasso, rectangle: SquareDashed, move: Hand };
const KEYS = { brush: 'B', eraser: 'E', lasso: 'L', rectangle: 'R', move: text('key.space') };

/** Renders the tools that paint the mask, below the stage. */
export function CanvasTools({ edit, frame }: Props) {
  const { value: tool } = edit.brush.tool;
  return (
    <div class="canvas-tools float row" role="toolbar" aria-label={text('mask.tools')}>
      <Segmented
        label={text('mask.tool')}
        value={tool}
        options={TOOLS.map((value) => ({
          value,
          title: text(`mask.${value}`),
          label: (
            <>
              <Icon of={ICONS[value]} />
              <span class="name">{text(`mask.${value}`)}</span>
              <kbd class="only-wide">{KEYS[value]}</kbd>
            </>
          ),
        }))}
        onChange={edit.brush.choose}
      />
      <i class="sep only-wide" />
      <div class="more row">
        {(tool === 'brush' || tool === 'eraser') && <BrushSize edit={edit} />}
        {(tool === 'lasso' || tool === 'rectangle') && (
          <Segmented
            label={text('canvas.outline')}
            value={edit.brush.takes.value ? 'take' : 'add'}
            options={(['add', 'take'] as const).map((value) => ({
              value,
              label: (
                <>
                  <Icon of={value === 'add' ? Plus : Minus} />
                  <span class="name">{text(`canvas.outline.${value}`)}</span>
                </>
              ),
            }))}
            onChange={(value) => edit.brush.setTakes(value === 'take')}
          />
        )}
        <RectangleButton edit={edit} frame={frame} />
        <Button
          look="quiet"
          icon={Contrast}
          class="invert"
          title={text('mask.invert')}
          onClick={edit.invert}
        >
          <span>{text('mask.invert')}</span>
          <kbd>I</kbd>
        </Button>
      </div>
    </div>
  );
}

function BrushSize({ edit }: { readonly edit: Edit }) {
  const { source } = edit;
  const size = edit.brush.size.value;
  return (
    <div class="brush-size row">
      <Slider
        label={text('mask.brushSize')}
        min={0}
        max={100}
        value={toPosition(size, source)}
        aria-valuetext={text('mask.brushSize.pixels', { count: size })}
        onChange={(position) => edit.brush.setSize(fromPosition(position, source))}
      />
      <span class="num soft">{size}</span>
    </div>
  );
}

function RectangleButton({ edit, frame }: Props) {
  const { isOpen, button, menu } = useMenu('dialog');
  return (
    <>
      <IconButton {...button} icon={TextCursorInput} label={text('mask.rectangle.numbers')} />
      {isOpen && <RectangleMenu {...menu} edit={edit} frame={frame} />}
    </>
  );
}
