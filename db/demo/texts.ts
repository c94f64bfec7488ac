import type { Language } from '#contract/fields.ts';
import type { NewList } from '#contract/lists.ts';

type Texts = Record<Language, [name: string, description: string]>;

function list(texts: Texts, subscribedByDefault = false): NewList {
  const { en, ...others } = texts;
  return {
    name: en[0],
    description: en[1],
    subscription_default_state: subscribedByDefault,
    translations: Object.entries(others).map(([language, [name, description]]) => ({
      language: language as Language,
      name,
      description,
    })),
  };
}

/** What Acme, a shop for hikers, sends to its customers. */
export const ACME_LISTS: NewList[] = [
  list(
    {
      en: ['Weekly news', 'Every Monday: what is new in the shop and worth a look outside.'],
      es: ['Novedades de la semana', 'Cada lunes: lo nuevo en la tienda y lo que merece una salida.'],
      de: ['Neues der Woche', 'Jeden Montag: was es im Laden Neues gibt und was sich draußen lohnt.'],
      fr: [
        'Les nouvelles de la semaine',
        'Chaque lundi : les nouveautés de la boutique et nos idées de sortie.',
      ],
      it: ['Novità della settimana', 'Ogni lunedì: le novità del negozio e le idee per stare all’aperto.'],
      sl: ['Novice tedna', 'Vsak ponedeljek: kaj je novega v trgovini in kam se splača iti.'],
      ro: ['Noutățile săptămânii', 'În fiecare luni: ce e nou în magazin și ce merită văzut în natură.'],
      pl: ['Nowości tygodnia', 'W każdy poniedziałek: nowości w sklepie i pomysły na wyjście w teren.'],
    },
    true,
  ),
  list({
    en: ['Offers', 'Two or three times a month: sales, and prices for customers only.'],
    es: ['Ofertas', 'Dos o tres veces al mes: rebajas y precios solo para clientes.'],
    de: ['Angebote', 'Zwei- bis dreimal im Monat: Aktionen und Preise nur für Kundinnen und Kunden.'],
    fr: ['Offres', 'Deux ou trois fois par mois : des promotions et des prix réservés à nos clients.'],
    it: ['Offerte', 'Due o tre volte al mese: sconti e prezzi riservati ai clienti.'],
    sl: ['Ponudbe', 'Dvakrat do trikrat na mesec: popusti in cene samo za stranke.'],
    ro: ['Oferte', 'De două-trei ori pe lună: reduceri și prețuri doar pentru clienți.'],
    pl: ['Oferty', 'Dwa, trzy razy w miesiącu: promocje i ceny tylko dla klientów.'],
  }),
  list({
    en: ['New arrivals', 'As soon as boots, packs and tents of the new season are in.'],
    es: ['Recién llegados', 'En cuanto llegan las botas, mochilas y tiendas de la nueva temporada.'],
    de: ['Neu eingetroffen', 'Sobald Schuhe, Rucksäcke und Zelte der neuen Saison da sind.'],
    fr: ['Nouveaux arrivages', 'Dès que les chaussures, sacs et tentes de la saison sont en rayon.'],
    it: ['Nuovi arrivi', 'Appena arrivano scarponi, zaini e tende della nuova stagione.'],
    sl: ['Novo v prodaji', 'Takoj ko prispejo čevlji, nahrbtniki in šotori nove sezone.'],
    ro: ['Produse noi', 'De îndată ce sosesc bocancii, rucsacurile și corturile noului sezon.'],
    pl: ['Nowe produkty', 'Gdy tylko dotrą buty, plecaki i namioty na nowy sezon.'],
  }),
  list({
    en: ['Trail guides', 'Once a month: a route with its map, and how to prepare for it.'],
    es: ['Guías de senderos', 'Una vez al mes: una ruta con su mapa y cómo prepararla.'],
    de: ['Tourentipps', 'Einmal im Monat: eine Route mit Karte und was man dafür braucht.'],
    fr: ['Carnets de randonnée', 'Une fois par mois : un itinéraire, sa carte et comment s’y préparer.'],
    it: ['Guide ai sentieri', 'Una volta al mese: un itinerario con la mappa e come prepararsi.'],
    sl: ['Vodniki po poteh', 'Enkrat na mesec: pot z zemljevidom in nasveti za pripravo.'],
    ro: ['Ghiduri de trasee', 'O dată pe lună: un traseu cu hartă și cum te pregătești pentru el.'],
    pl: ['Przewodniki po szlakach', 'Raz w miesiącu: trasa z mapą i rady, jak się przygotować.'],
  }),
  list({
    en: ['Events near you', 'Talks, guided hikes and repair evenings in our shops.'],
    es: ['Eventos cerca de ti', 'Charlas, rutas guiadas y talleres de reparación en nuestras tiendas.'],
    de: ['Veranstaltungen in der Nähe', 'Vorträge, geführte Touren und Reparaturabende in unseren Läden.'],
    fr: [
      'Événements près de chez vous',
      'Conférences, sorties guidées et soirées réparation dans nos boutiques.',
    ],
    it: ['Eventi vicino a te', 'Incontri, escursioni guidate e serate di riparazione nei nostri negozi.'],
    sl: ['Dogodki v bližini', 'Predavanja, vodeni pohodi in večeri popravil v naših trgovinah.'],
    ro: [
      'Evenimente în apropiere',
      'Prezentări, drumeții cu ghid și seri de reparații în magazinele noastre.',
    ],
    pl: [
      'Wydarzenia w okolicy',
      'Prelekcje, wycieczki z przewodnikiem i wieczory napraw w naszych sklepach.',
    ],
  }),
  list({
    en: ['Gear testers', 'Now and then: try something before it is sold, and tell us what you think.'],
    es: ['Probadores de material', 'De vez en cuando: prueba algo antes de su venta y cuéntanos tu opinión.'],
    de: ['Ausrüstung testen', 'Ab und zu: etwas vor dem Verkauf ausprobieren und uns Ihre Meinung sagen.'],
    fr: [
      'Testeurs de matériel',
      'De temps en temps : essayez un produit avant sa sortie et donnez votre avis.',
    ],
    it: ['Prova l’attrezzatura', 'Ogni tanto: provi un prodotto prima della vendita e ci dici che ne pensi.'],
    sl: ['Preizkuševalci opreme', 'Občasno: preizkusite izdelek pred prodajo in nam povejte svoje mnenje.'],
    ro: [
      'Testeri de echipament',
      'Din când în când: încerci un produs înainte de lansare și ne spui părerea.',
    ],
    pl: ['Testerzy sprzętu', 'Od czasu do czasu: wypróbuj produkt przed sprzedażą i powiedz, co myślisz.'],
  }),
];

/** The second site of the same organization: a workshop with a smaller circle. */
export const LABS_LISTS: NewList[] = [
  {
    name: 'Workshop diary',
    description: 'Every other week: what we build, what broke, and why.',
    subscription_default_state: true,
    translations: [
      {
        language: 'de',
        name: 'Werkstatt-Tagebuch',
        description: 'Alle zwei Wochen: was wir bauen, was kaputtging und warum.',
      },
    ],
  },
  {
    name: 'Prototype sales',
    description: 'When we sell prototypes: few pieces, first come, first served.',
    subscription_default_state: false,
    translations: [
      {
        language: 'de',
        name: 'Prototypen-Verkauf',
        description: 'Wenn wir Prototypen verkaufen: wenige Stücke, wer zuerst kommt, mahlt zuerst.',
      },
    ],
  },
];

export const FIRST_NAMES =
  'Ada Amélie Andrei Anja Bence Bianca Bruno Carla Chiara Daan Diego Elif Elena Emil Fatima Felix Freya Gael Greta Hana Henrik Ida Ines Ivan Jakob Jana Jonas Julia Katja Klara Lars Lea Leon Lina Luca Luka Maja Marco Marta Mateo Mei Mia Milan Mina Nadia Nico Nina Noah Olga Omar Oskar Paula Petra Pia Rafael Rosa Ruth Sara Simon Sofia Tarek Tereza Theo Tilda Tomás Vera Viktor Wanda Yara Zofia'.split(
    ' ',
  );

export const LAST_NAMES =
  'Albu Andersen Bauer Becker Bianchi Blanc Bruun Castillo Chen Costa Dubois Dvorak Ek Fischer Fontaine Garcia Girard Greco Haas Hansen Horvat Huber Ionescu Jansen Jensen Kaya Keller Kovac Kowalski Kranjc Lang Larsen Lefevre Leone Lopez Marin Marino Meier Mendes Moreau Moser Mueller Nagy Neumann Novak Nowak Olsen Ortiz Pavlic Peters Popa Popescu Ramos Ricci Rossi Roy Santos Schmidt Serra Silva Stan Svensson Tanaka Torres Varga Vidal Vogel Weber Wolf Zajac Ziegler Zupan'.split(
    ' ',
  );
