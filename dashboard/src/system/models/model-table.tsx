import type { Provider } from '../../api/schemas.ts';
import { ScrollRegion } from '../../controls/scroll-region.tsx';
import { isRehearsedFailure } from '../../make/model-abilities.ts';
import { usePage } from '../../page-context.ts';
import { formatNumber, text } from '../../text/text.ts';
import { Box } from '../box.tsx';
import { type ModelRow, type Support, toModelRow } from './model-row.ts';
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

/** Shows the capabilities of each model. */
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

/** Leaves out the models that fail on purpose, because they have the same capabilities. */
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
        <Cells row={toModelRow(document)} />
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

function Cells({ row }: { readonly row: ModelRow }) {
  return (
    <>
      <td>{sizesText(row.sizes)}</td>
      <td>
        <Can support={row.alpha} />
      </td>
      <td>
        <Can support={row.mask} />
      </td>
      <td>
        <Can support={row.negativePrompt} />
      </td>
      <td>{row.images > 0 ? formatNumber(row.images) : <Can support="unsupported" />}</td>
      <td>
        {row.partialImages > 0 ? formatNumber(row.partialImages) : <Can support="unsupported" />}
      </td>
      <td>{row.formats.join(text('list.separator'))}</td>
      <td>{row.fidelities.join(text('list.separator')) || <Can support="unsupported" />}</td>
    </>
  );
}

function sizesText(sizes: ModelRow['sizes']): string {
  if ('count' in sizes) {
    return sizes.count > 0 ? formatNumber(sizes.count) : text('system.models.autoSize');
  }
  if (sizes.maxEdge === undefined) return text('system.models.anySize');
  return text('system.models.anySizeTo', { edge: String(sizes.maxEdge) });
}

/** Shows the support for a capability with a mark and a word. */
function Can({ support, word }: { readonly support: Support; readonly word?: string }) {
  return <span class={`can ${support}`}>{word ?? text(`system.can.${support}`)}</span>;
}
