import { Choice, Field } from '../../controls/field.tsx';
import { Param } from '../../controls/param.tsx';
import { Segmented } from '../../controls/segmented.tsx';
import { Slider } from '../../controls/slider.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useSetting } from './use-setting.ts';

const FORMATS = ['png', 'jpeg', 'webp'] as const;
const METADATA = ['none', 'sidecar', 'embedded', 'sidecar_and_embedded'] as const;

/** Edits the format, the folder, the name and the record of the files. */
export function FileSettings() {
  const { draft } = usePage();
  const [format, setFormat] = useSetting('parameters', 'output_format');
  const [metadata, setMetadata] = useSetting('output', 'metadata');
  const isSingle = (draft.settings.value.parameters?.n ?? 1) === 1;
  return (
    <>
      <Param label={text('make.format')} onReset={format ? () => setFormat(undefined) : undefined}>
        <Segmented
          wide
          label={text('make.format')}
          value={format ?? 'png'}
          segments={FORMATS.map((value) => ({ value, label: text(`make.format.${value}`) }))}
          onChange={(next) => {
            setFormat(next === 'png' ? undefined : next);
            if (next === 'png') draft.set('parameters', { output_compression: undefined });
          }}
        />
      </Param>
      {format && format !== 'png' && <CompressionParam />}
      <NameParam name="directory" />
      {isSingle ? <NameParam name="filename" /> : <NameParam name="filename_prefix" />}
      <Param
        label={text('make.record')}
        onReset={metadata ? () => setMetadata(undefined) : undefined}
      >
        <Choice
          label={text('make.record')}
          value={metadata ?? 'none'}
          options={METADATA.map((value) => ({ value, label: text(`make.record.${value}`) }))}
          onChange={(next) => setMetadata(next === 'none' ? undefined : next)}
        />
      </Param>
    </>
  );
}

function CompressionParam() {
  const [value, set] = useSetting('parameters', 'output_compression');
  const shown = value ?? 80;
  return (
    <Param
      label={text('make.compression')}
      onReset={typeof value === 'number' ? () => set(undefined) : undefined}
    >
      <Slider label={text('make.compression')} min={0} max={100} value={shown} onChange={set} />
      <span class="num">{typeof value === 'number' ? value : text('make.quality.auto')}</span>
    </Param>
  );
}

interface NameProps {
  readonly name: 'directory' | 'filename' | 'filename_prefix';
}

/** Edits one component of the file's path below the artifact folder. The bridge checks the path with every plan. */
function NameParam({ name }: NameProps) {
  const { draft } = usePage();
  const [value, set] = useSetting('output', name);
  return (
    <Param
      label={text(`make.${name}`)}
      hint={name === 'filename' && text('make.filename.hint')}
      onReset={value ? () => set(undefined) : undefined}
    >
      <Field
        label={text(`make.${name}`)}
        value={value ?? ''}
        placeholder={text(`make.${name}.placeholder`)}
        spellcheck={false}
        autoComplete="off"
        onInput={(next) => {
          if (name === 'filename') draft.set('output', { filename_prefix: undefined });
          if (name === 'filename_prefix') draft.set('output', { filename: undefined });
          set(next === '' ? undefined : next);
        }}
      />
    </Param>
  );
}
