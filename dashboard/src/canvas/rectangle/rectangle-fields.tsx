import { Field } from '../../controls/inputs.tsx';
import { type CanvasKey, text } from '../../text/canvas-text.ts';
import type { RectangleText } from './rectangle.ts';

interface Props {
  /** The beginning of the ids of the fields. The note that describes the fields has the id `{id}-note`. */
  readonly id: string;
  readonly typed: RectangleText;
  /** The field with a wrong number. */
  readonly fault: keyof RectangleText | undefined;
  readonly maxLength: number;
  readonly onInput: (typed: RectangleText, name: keyof RectangleText) => void;
}

const FIELDS: readonly { readonly name: keyof RectangleText; readonly label: CanvasKey }[] = [
  { name: 'x', label: 'mask.rectangle.x' },
  { name: 'y', label: 'mask.rectangle.y' },
  { name: 'width', label: 'mask.rectangle.width' },
  { name: 'height', label: 'mask.rectangle.height' },
];

/** Renders the four fields for the numbers of a rectangle. */
export function RectangleFields({ id, typed, fault, maxLength, onInput }: Props) {
  return FIELDS.map(({ name, label }) => (
    <div key={name}>
      <label class="hint" for={`${id}-${name}`}>
        {text(label)}
      </label>
      <Field
        id={`${id}-${name}`}
        dir="ltr"
        value={typed[name]}
        maxLength={maxLength}
        bad={fault === name}
        aria-describedby={`${id}-note`}
        onInput={(value) => onInput({ ...typed, [name]: value.trim() }, name)}
      />
    </div>
  ));
}
