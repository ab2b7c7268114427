import type { Capabilities, Provider } from '../../api/schemas.ts';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { isRehearsedFailure, mostImages } from '../../make/model-abilities.ts';
import { usePage } from '../../page-context.ts';
import { formatNumber, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import '../table.css';
import './model-table.css';

const COLUMNS = [
  'sizes',
  'alpha',
  'mask',
  'negative',
  'images',
  'partials',
  'formats',
  'fidelity',
] as const;

export function ModelTable() {
  const { providers } = usePage();
  const { value: list } = providers.list;
  const legend = (
    <span class="legend">
      <Can support="native" />
      <Can support="emulated" word={text('system.can.emulatedHere')} />
      <Can support="unsupported" />
    </span>
  );
  return (
    <Box id="models" class="model-table" title={text('system.models.title')} end={legend}>
      <ScrollRegion class="table-wrap" label={text('system.models.title')}>
        <table class="num">
          <thead>
            <tr>
              <th scope="col">{text('system.models.model')}</th>
              {COLUMNS.map((name) => (
                <th key={name} scope="col">
                  {text(`system.models.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          {list?.map((provider) => (
            <ProviderRows key={provider.name} provider={provider} />
          ))}
        </table>
      </ScrollRegion>
    </Box>
  );
}

/** Renders a row for each model of a provider, without the sandbox models that fail on purpose. */
function ProviderRows({ provider }: { readonly provider: Provider }) {
  return (
    <tbody>
      <tr>
        <th class="group" scope="rowgroup">
          {provider.display_name}
        </th>
        <td class="group" colSpan={COLUMNS.length} />
      </tr>
      {provider.models
        .filter((model) => !isRehearsedFailure(model))
        .map((model) => (
          <Row key={model} provider={provider.name} model={model} />
        ))}
    </tbody>
  );
}

function Row({ provider, model }: { readonly provider: string; readonly model: string }) {
  const { value: document } = usePage().providers.capabilities(provider, model);
  return (
    <tr>
      <th scope="row">{model}</th>
      {document ? (
        <Cells document={document} />
      ) : (
        COLUMNS.map((name) => (
          <td key={name} class="faint">
            {text('system.unknown')}
          </td>
        ))
      )}
    </tr>
  );
}

function Cells({ document }: { readonly document: Capabilities }) {
  const none = <Can support="unsupported" />;
  const images = mostImages(document);
  const cells = [
    sizesText(document.sizes),
    <Can key="alpha" support={document.transparent_background} />,
    <Can key="mask" support={document.masks.support} />,
    <Can key="negative" support={document.negative_prompt} />,
    images === 0 ? none : formatNumber(images),
    document.partial_images.max === 0 ? none : formatNumber(document.partial_images.max),
    document.output_formats.join(text('list.separator')),
    document.input_fidelities.join(text('list.separator')) || none,
  ];
  return (
    <>
      {cells.map((cell, index) => (
        <td key={COLUMNS[index]}>{cell}</td>
      ))}
    </>
  );
}

function sizesText({ arbitrary, max_edge: edge, allowed }: Capabilities['sizes']): string {
  if (!arbitrary) {
    return allowed.length > 0 ? formatNumber(allowed.length) : text('system.models.autoSize');
  }
  if (edge === undefined) return text('system.models.anySize');
  return text('system.models.anySizeTo', { edge: String(edge) });
}

/** Shows the support for a capability with a mark and a word. */
function Can({
  support,
  word,
}: {
  readonly support: Capabilities['negative_prompt'];
  readonly word?: string;
}) {
  return <span class={`can ${support}`}>{word ?? text(`system.can.${support}`)}</span>;
}
