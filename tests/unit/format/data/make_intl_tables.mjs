// Prints with Node's Intl what the formatters have to print.
//
//   node make_intl_tables.mjs money   > intl_money.tsv
//   node make_intl_tables.mjs numbers > intl_numbers.tsv
//   node make_intl_tables.mjs dates   > intl_dates.tsv
//
// The first line names the versions. Amounts go to Intl as strings, which it reads exactly.
// The sign display 'negative' is the one difference that is wanted: no sign for a zero.

const locales = [
    'en-GB', 'en-US', 'en-IN', 'en-AU', 'en-CA', 'en-IE', 'en-ZA', 'de-DE', 'de-AT', 'de-CH',
    'fr-FR', 'fr-CH', 'fr-CA', 'es-ES', 'es-MX', 'es-AR', 'it-IT', 'pt-PT', 'pt-BR', 'nl-NL',
    'nl-BE', 'da-DK', 'sv-SE', 'nb-NO', 'fi-FI', 'is-IS', 'pl-PL', 'cs-CZ', 'sk-SK', 'hu-HU',
    'ro-RO', 'bg-BG', 'hr-HR', 'sl-SI', 'sr-RS', 'el-GR', 'tr-TR', 'uk-UA', 'ru-RU', 'lt-LT',
    'lv-LV', 'et-EE', 'he-IL', 'ar-EG', 'ar-AE', 'fa-IR', 'hi-IN', 'bn-BD', 'ta-IN', 'ne-NP',
    'th-TH', 'vi-VN', 'id-ID', 'ms-MY', 'ja-JP', 'ko-KR', 'zh-CN', 'zh-TW', 'ur-PK', 'my-MM',
    'ja-JP-u-ca-japanese', 'ar-EG-u-nu-latn', 'en-US-u-hc-h23', 'en-GB-u-hc-h12', 'de-DE-u-hc-h12', 'fr-FR-u-hc-h11', 'ja-JP-u-hc-h12', 'en-XX', 'sw',
];
const currencies = [
    'GBP', 'EUR', 'USD', 'JPY', 'KWD', 'CHF', 'PLN', 'XXX', 'ABC',
];
const amounts = ['1234.5', '-12345678901234567890.125', '-0.001', '999.995'];
const numbers = ['0', '7', '-7', '999', '1000', '-1000', '9999', '10000', '99999', '100000',
    '1234567', '-12345678', '123456789012', '0.25', '-1234.75', '1234567.125'];
const zones = ['Europe/London', 'America/New_York', 'Asia/Kathmandu'];
const instants = [
    '2025-01-02T03:04:05Z', '2025-06-30T23:30:00Z', '2025-10-26T00:30:00Z', '2025-10-26T01:30:00Z',
    '2024-12-30T12:00:00Z', '2024-12-31T18:15:00Z', '2025-02-14T11:59:59Z', '2025-03-14T12:00:00Z',
    '2025-04-14T13:01:01Z', '2025-05-05T00:00:00Z', '2025-07-09T09:09:09Z', '2025-08-31T23:30:00Z',
    '2025-09-10T16:20:30Z', '2025-11-11T11:11:11Z', '1500-02-28T10:00:00Z', '0150-07-04T20:00:00Z',
    '0009-01-05T00:00:00Z', '9999-12-31T12:00:00Z', '+012345-06-07T08:09:10Z', '1900-01-01T12:00:00Z',
];
const styles = [
    ['short', 'medium'], ['medium', 'short'], ['short', 'none'], ['long', 'none'], ['full', 'none'],
    ['none', 'short'], ['none', 'medium'], ['full', 'full'], ['long', 'long'],
];

const print = (...fields) => console.log(fields.join('\t'));
print(`# node ${process.versions.node}, ICU ${process.versions.icu}, CLDR ${process.versions.cldr}, tz ${process.versions.tz}`);
switch (process.argv[2]) {
    case 'money':
        for (const locale of locales) for (const currency of currencies) {
            const format = new Intl.NumberFormat(locale, { style: 'currency', currency, signDisplay: 'negative' });
            for (const amount of amounts) print(locale, currency, amount, format.format(amount));
        }
        break;
    case 'numbers':
        for (const locale of locales) for (const number of numbers) {
            const digits = (number.split('.')[1] ?? '').length;
            const format = new Intl.NumberFormat(locale, {
                minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'negative',
            });
            print(locale, number, format.format(number));
        }
        break;
    case 'dates':
        for (const locale of locales) for (const [date, time] of styles) for (const timeZone of zones) {
            const usual = date === 'short' && time === 'medium';
            // The other zones and styles need no more than a few of each kind.
            if (timeZone !== zones[0] && !(usual && ['en-GB', 'en-US', 'ar-EG'].includes(locale))) continue;
            const options = { timeZone };
            if (date !== 'none') options.dateStyle = date;
            if (time !== 'none') options.timeStyle = time;
            const format = new Intl.DateTimeFormat(locale, options);
            for (const instant of usual ? instants : instants.slice(0, 2)) {
                print(locale, `${date}/${time}`, timeZone, instant, format.format(new Date(instant)));
            }
        }
        break;
    default:
        throw new Error('money, numbers or dates?');
}
