import { useState } from 'preact/hooks';
import type { Capabilities } from '../../api/schemas.ts';
import { Field } from '../../controls/field.tsx';
import { text } from '../../text/text.ts';
import { parseSize, sizeFault } from './shapes.ts';
import './custom-size.css';

interface Props {
  readonly sizes: Capabilities['sizes'];
  readonly size: string;
  readonly onChange: (size: string) => void;
}

/** A size of one's own, for models that make any. It counts as soon as the model makes it. */
export function CustomSize({ sizes, size, onChange }: Props) {
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
    <div class="custom-size">
      <Field
        label={text('make.size.width')}
        value={width}
        bad={isBad}
        maxLength={5}
        describedBy="custom-size-note"
        onInput={(value) => take(value, height)}
      />
      <span aria-hidden="true">×</span>
      <Field
        label={text('make.size.height')}
        value={height}
        bad={isBad}
        maxLength={5}
        describedBy="custom-size-note"
        onInput={(value) => take(width, value)}
      />
      <p id="custom-size-note" class={isBad ? 'bad' : 'hint'} role="status">
        {wanted === undefined && text('make.size.whole')}
        {fault && text(`make.size.fault.${fault.fault}`, { limit: fault.limit })}
      </p>
    </div>
  );
}
