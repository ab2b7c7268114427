import { Minus, Plus } from 'lucide';
import type { ComponentChildren, CSSProperties } from 'preact';
import { Icon } from '../controls/button.tsx';
import { text } from '../text/text.ts';
import './zoom-bar.css';

interface Props {
  readonly zoom: { zoomIn(): void; zoomOut(): void; fit(): void };
  /** True if the whole image is visible, so that the view cannot zoom out. */
  readonly isWhole: boolean;
  /** The text of the button that shows the whole image: the current zoom. */
  readonly value: string;
  readonly style: CSSProperties;
  /** More tools, placed before the zoom. */
  readonly children?: ComponentChildren;
}

/** Renders the buttons that zoom in, zoom out and show the whole image. */
export function ZoomBar({ zoom, isWhole, value, style, children }: Props) {
  const fit = text('zoom.fit');
  return (
    <div class="zoom-bar row chip edged num" role="toolbar" aria-label={text('zoom')} style={style}>
      {children}
      <ZoomButton label={text('zoom.out')} disabled={isWhole} onPress={zoom.zoomOut}>
        <Icon of={Minus} />
      </ZoomButton>
      <button
        type="button"
        class="whole middle"
        aria-label={value === fit ? fit : `${value}: ${fit}`}
        title={fit}
        onClick={zoom.fit}
      >
        {value}
      </button>
      <ZoomButton label={text('zoom.in')} onPress={zoom.zoomIn}>
        <Icon of={Plus} />
      </ZoomButton>
    </div>
  );
}

interface ButtonProps {
  readonly label: string;
  readonly disabled?: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

export function ZoomButton({ label, disabled = false, onPress, children }: ButtonProps) {
  return (
    <button
      type="button"
      class="middle"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
