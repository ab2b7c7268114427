import { formatBytes, text } from '../../text/text.ts';
import './meter.css';

interface Props {
  readonly name: string;
  readonly bytes: number;
  /** The budget in bytes, where there is one. */
  readonly most?: number;
}

/** So many bytes are nearly all of a budget. */
const NEARLY = 0.9;

/** How much of a budget is used; without a budget, how much is used. */
export function Meter({ name, bytes, most }: Props) {
  const used = formatBytes(bytes);
  const share = most ? Math.min(1, bytes / most) : 0;
  return (
    <p class="meter num">
      <span>{name}</span>
      <span>
        {most === undefined ? used : text('system.usedOf', { used, most: formatBytes(most) })}
      </span>
      {most !== undefined && (
        <i class={share >= NEARLY ? 'nearly' : undefined} aria-hidden="true">
          <i style={{ inlineSize: `${share * 100}%` }} />
        </i>
      )}
    </p>
  );
}
