import datetime, sys, os
import openpyxl, xlsxwriter
out = sys.argv[1]
book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'My Leads'
sheet.append(['Name', 'Email', 'Score', 'Since', 'VIP', 'Met at', 'Note'])
sheet.append(['Ada', 'ada@x.test', 5, datetime.date(2024, 2, 29), True, datetime.datetime(2024, 1, 1, 10, 30), 'a\nb, "c"'])
sheet.append(['Bob', 'bob@x.test', 0.1, datetime.date(1900, 3, 1), False, datetime.time(9, 15), None])
sheet.append([])
sheet.append(['Eve', 'eve@x.test', -12, datetime.date(1999, 12, 31), False, datetime.timedelta(hours=26, minutes=30), 'Grüße <&> 你好'])
book.create_sheet('Other')
book.create_sheet('Secret').sheet_state = 'hidden'
book.save(os.path.join(out, 'openpyxl.xlsx'))
book = xlsxwriter.Workbook(os.path.join(out, 'xlsxwriter-1904.xlsx'), {'date_1904': True, 'default_date_format': 'dd/mm/yyyy'})
sheet = book.add_worksheet('Leads')
bold = book.add_format({'bold': True})
sheet.write_row(0, 0, ['Name', 'Email', 'Score', 'Since', 'Sum'])
sheet.write_rich_string(1, 0, 'Ada ', bold, 'Love', 'lace')
sheet.write(1, 1, 'ada@x.test')
sheet.write(1, 2, 1e15)
sheet.write_datetime(1, 3, datetime.datetime(2024, 2, 29))
sheet.write_formula(1, 4, '=C2*2', None, 2e15)
sheet.write(2, 0, 'Bob')
sheet.write(2, 1, 'bob@x.test')
sheet.write(2, 2, 7)
sheet.write_datetime(2, 3, datetime.datetime(1904, 1, 2))
sheet.write_formula(2, 4, '=NA()', None, '#N/A')
book.close()
